#include "core/data/translation_task.h"
#include "core/plugin/plugin.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Task, phraseq::TranslationTask, phraseq::TranslationOptions>(
      "translation", "Translation from one language to another");
}

}  // namespace

PHRASEQ_PLUGIN("translation", PHRASEQ_VERSION, "The translation task", register_components)
