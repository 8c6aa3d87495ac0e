#include "core/plugin/plugin.h"
#include "tasks/translation_multi_simple_epoch/multilingual_task.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Task, MultilingualTask, MultilingualOptions>(
      "translation_multi_simple_epoch", "Translation between several languages with one model");
}

}  // namespace

PHRASEQ_PLUGIN("translation_multi_simple_epoch",
               PHRASEQ_VERSION,
               "The task of multilingual translation",
               register_components)
