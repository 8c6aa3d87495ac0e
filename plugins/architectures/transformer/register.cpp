#include "core/nn/transformer/transformer_model.h"
#include "core/plugin/plugin.h"
#include "plugins/architectures/transformer/presets.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Architecture, nn::TransformerModel, nn::TransformerOptions>(
      "transformer",
      "Encoder-decoder Transformer (Vaswani et al. 2017)",
      transformer::transformer_presets());
}

}  // namespace

PHRASEQ_PLUGIN("transformer",
               PHRASEQ_VERSION,
               "The Transformer and its published baselines",
               register_components)
