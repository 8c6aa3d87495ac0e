#include "core/plugin/plugin.h"
#include "plugins/architectures/transformer_align/model.h"
#include "plugins/architectures/transformer_align/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture,
               transformer_align::TransformerAlign,
               transformer_align::TransformerAlignOptions>(
      "transformer_align",
      "Transformer that also learns alignments (Garg et al. 2019)",
      transformer_align::transformer_align_presets());
}

}  // namespace

PHRASEQ_PLUGIN("transformer_align",
               PHRASEQ_VERSION,
               "Transformer with an attention head that is trained with alignments",
               register_components)
