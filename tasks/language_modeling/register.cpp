#include "core/plugin/plugin.h"
#include "tasks/language_modeling/language_modeling.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Task, LanguageModeling, LanguageModelingOptions>(
      "language_modeling", "Prediction of each token of a text from those before it");
}

}  // namespace

PHRASEQ_PLUGIN("language_modeling",
               PHRASEQ_VERSION,
               "The language modeling task",
               register_components)
