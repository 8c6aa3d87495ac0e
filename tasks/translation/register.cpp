#include "core/data/translation_task.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Task, TranslationTask, TranslationOptions>(
      "translation", "Translation from one language to another");
}

}  // namespace

PHRASEQ_PLUGIN("translation", PHRASEQ_VERSION, "The translation task", register_components)
