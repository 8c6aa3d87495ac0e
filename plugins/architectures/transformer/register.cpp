#include "core/nn/transformer/transformer_model.h"
#include "core/plugin/plugin.h"
#include "plugins/architectures/transformer/presets.h"

namespace {

void register_components(phraseq::Registry& registry) {
  using phraseq::nn::TransformerModel;
  using phraseq::nn::TransformerOptions;
  registry.add<phraseq::Architecture, TransformerModel, TransformerOptions>(
      "transformer",
      "Encoder-decoder Transformer (Vaswani et al. 2017)",
      phraseq::transformer_presets());
}

}  // namespace

PHRASEQ_PLUGIN("transformer",
               PHRASEQ_VERSION,
               "The Transformer and its published baselines",
               register_components)
