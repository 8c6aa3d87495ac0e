#include <vector>

#include "core/plugin/plugin.h"
#include "plugins/architectures/transformer_align/model.h"
#include "plugins/architectures/transformer_align/presets.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Architecture, phraseq::TransformerAlign, phraseq::TransformerAlignOptions>(
      "transformer_align",
      "Transformer that also learns alignments (Garg et al. 2019)",
      phraseq::transformer_align_presets());
}

}  // namespace

PHRASEQ_PLUGIN("transformer_align",
               PHRASEQ_VERSION,
               "Transformer with an attention head that is trained with alignments",
               register_components)
