#include "plugins/architectures/ssru_transformer/presets.h"

#include "plugins/architectures/ssru_transformer/options.h"

namespace phraseq {
namespace {

void tiny(SsruTransformerOptions& o) {
  o = SsruTransformerOptions();
  o.encoder_normalize_before = o.decoder_normalize_before = true;
  o.set_sizes(128, 256, 4, 4);
  o.set_dropout(0.2, 0.0, 0.0);
}

}  // namespace

std::vector<Preset> ssru_transformer_presets() {
  return {preset("ssru_transformer_tiny",
                 "128/256, 4 heads, 4+4 layers, pre-norm, dropout 0.2, 0, 0",
                 tiny,
                 small_corpus_training())};
}

}  // namespace phraseq
