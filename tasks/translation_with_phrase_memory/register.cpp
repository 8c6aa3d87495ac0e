#include "core/plugin/plugin.h"
#include "tasks/translation_with_phrase_memory/phrase_memory_task.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Task, TranslationWithPhraseMemory, PhraseMemoryTaskOptions>(
      "translation_with_phrase_memory",
      "Translation with phrases from an external table (Tang et al. 2016)");
}

}  // namespace

PHRASEQ_PLUGIN("translation_with_phrase_memory",
               PHRASEQ_VERSION,
               "Translation with a phrase memory",
               register_components)
