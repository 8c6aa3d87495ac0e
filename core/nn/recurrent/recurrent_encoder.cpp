#include "core/nn/recurrent/recurrent_encoder.h"

#include <ATen/ops/cat.h>

#include "core/nn/functional/embedding.h"

namespace phraseq::nn {

at::Tensor recurrent_embedding(const at::Tensor& ids,
                               const EmbeddingTable& table,
                               Context& context) {
  const at::Tensor rows = embed(ids, ids, table.weight, {}, {}, context);
  return rows.to(table.weight.scalar_type());
}

RecurrentEncoder::RecurrentEncoder(const RecurrentOptions& o, int64_t vocabulary) {
  embed_tokens_ =
      register_module("embed_tokens", std::make_shared<EmbeddingTable>(vocabulary, o.embed_dim));
  forward_rnn_ = register_module("forward_rnn", std::make_shared<GruCell>(o.embed_dim, o.hidden));
  backward_rnn_ = register_module("backward_rnn", std::make_shared<GruCell>(o.embed_dim, o.hidden));
}

at::Tensor RecurrentEncoder::forward(const PackedTokens& source, Context& context) const {
  const at::Device device = source.ids.device();
  const at::Tensor x =
      recurrent_embedding(source.ids, *embed_tokens_, context);  // [source tokens, embed]
  return at::cat(
      {forward_rnn_->over(x, TimeMajor(source.offsets, device), context),
       backward_rnn_->over(x, TimeMajor(source.offsets, device, /*backwards=*/true), context)},
      1);  // [source tokens, 2 · hidden]
}

void RecurrentEncoder::initialize(RecurrentInitializer& initializer) {
  initializer.matrix(embed_tokens_->weight);
  forward_rnn_->initialize(initializer);
  backward_rnn_->initialize(initializer);
}

double RecurrentEncoder::multiply_adds(double tokens) const {
  return forward_rnn_->multiply_adds(tokens) + backward_rnn_->multiply_adds(tokens);
}

}  // namespace phraseq::nn
