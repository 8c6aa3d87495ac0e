#include "core/plugin/plugin.h"
#include "plugins/architectures/ssru_transformer/presets.h"
#include "plugins/architectures/ssru_transformer/ssru.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture,
               ssru_transformer::SsruTransformer,
               ssru_transformer::SsruTransformerOptions>(
      "ssru_transformer",
      "Transformer with recurrent units (SSRU) in the decoder (Kim et al. 2019)",
      ssru_transformer::ssru_transformer_presets());
}

}  // namespace

PHRASEQ_PLUGIN("ssru_transformer",
               PHRASEQ_VERSION,
               "Transformer with simpler simple recurrent units in place of the decoder's "
               "self-attention",
               register_components)
