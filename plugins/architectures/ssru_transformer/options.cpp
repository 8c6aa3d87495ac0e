#include "plugins/architectures/ssru_transformer/options.h"

namespace phraseq::ssru_transformer {

SsruTransformerOptions::SsruTransformerOptions() {
  pos = nn::PositionKind::kTensor2Tensor;
  norm_eps = 1e-6;
  out_bias = true;
  start_token = nn::StartToken::kBos;
}

void SsruTransformerOptions::describe(OptionTable& table) {
  TransformerOptions::describe(table);
  table.field("ssru-projection",
              ssru_projection,
              "Apply an output projection to the recurrent units, like that of self-attention.");
}

}  // namespace phraseq::ssru_transformer
