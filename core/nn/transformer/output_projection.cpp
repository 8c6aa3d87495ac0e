#include "core/nn/transformer/output_projection.h"

#include <utility>

#include <ATen/ops/empty.h>

#include "core/text/dictionary.h"

namespace phraseq::nn {

OutputProjection::OutputProjection(torch::nn::Module& owner,
                                   const TransformerOptions& o,
                                   std::shared_ptr<EmbeddingTable> target_embedding)
    : tied_(std::move(target_embedding)) {
  const int64_t vocabulary = tied_->weight.size(0), model = tied_->weight.size(1);
  if (!o.share_all_embeddings && !o.share_decoder_input_output_embed) {
    map_ = owner.register_module(
        "output_projection", std::make_shared<LinearMap>(model, vocabulary, /*with_bias=*/false));
  }
  if (o.out_bias)
    bias_ = owner.register_parameter("output_bias", at::empty({vocabulary}));
  if (o.forbid_outputs)
    forbidden_ = {kBos, kPad};
}

DecoderOutput OutputProjection::around(const at::Tensor& hidden) const {
  DecoderOutput output;
  output.hidden = hidden;
  output.output_weight = weight();
  output.output_bias = bias_;
  output.forbidden = forbidden_;
  return output;
}

void OutputProjection::initialize(Initializer& initializer) {
  if (map_)
    initializer.embedding(map_->weight, /*padding_row=*/-1);
  if (bias_.defined())
    initializer.constant(bias_, 0.0);
}

double OutputProjection::multiply_adds(double rows) const {
  return rows * static_cast<double>(weight().numel());
}

}  // namespace phraseq::nn
