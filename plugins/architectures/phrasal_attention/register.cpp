#include "core/plugin/plugin.h"
#include "plugins/architectures/phrasal_attention/model.h"
#include "plugins/architectures/phrasal_attention/presets.h"

namespace {

void register_components(phraseq::Registry& registry) {
  using phraseq::phrasal::PhrasalAttentionModel;
  using phraseq::phrasal::PhrasalAttentionOptions;
  registry.add<phraseq::Architecture, PhrasalAttentionModel, PhrasalAttentionOptions>(
      "phrasal_attention",
      "Transformer with phrasal attention over n-grams (Nguyen & Joty 2018)",
      phraseq::phrasal::phrasal_attention_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrasal_attention",
               PHRASEQ_VERSION,
               "Phrasal attention: CONVKV and QUERYK; homogeneous, heterogeneous and interleaved",
               register_components)
