#include "plugins/architectures/ssru_transformer/presets.h"

#include "plugins/architectures/ssru_transformer/options.h"

namespace phraseq::ssru_transformer {
namespace {

void tiny(SsruTransformerOptions& o) {
  o = SsruTransformerOptions();
  nn::use_tiny_size(o);
}

}  // namespace

std::vector<Preset> ssru_transformer_presets() {
  return {preset("ssru_transformer_tiny",
                 "128/256, 4 heads, 4+4 layers, pre-norm, dropout 0.2, 0, 0",
                 tiny,
                 small_corpus_training())};
}

}  // namespace phraseq::ssru_transformer
