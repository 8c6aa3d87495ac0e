#include "core/plugin/plugin.h"
#include "plugins/architectures/phrasal_attention/model.h"
#include "plugins/architectures/phrasal_attention/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture, phrasal::PhrasalAttentionModel, phrasal::PhrasalAttentionOptions>(
      "phrasal_attention",
      "Transformer with phrasal attention over n-grams (Nguyen & Joty 2018)",
      phrasal::phrasal_attention_presets());
}

}  // namespace

PHRASEQ_PLUGIN("phrasal_attention",
               PHRASEQ_VERSION,
               "Phrasal attention: CONVKV and QUERYK; homogeneous, heterogeneous and interleaved",
               register_components)
