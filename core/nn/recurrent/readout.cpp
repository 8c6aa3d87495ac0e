#include "core/nn/recurrent/readout.h"

#include <ATen/ops/empty.h>

#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::nn {

Readout::Readout(const RecurrentOptions& o, int64_t out, int64_t slots, bool with_bias) {
  const auto map = [&](const char* name, int64_t in) {
    return register_module(name, std::make_shared<LinearMap>(in, out, /*with_bias=*/false));
  };
  state_ = map("state", o.hidden);
  context_ = map("context", 2 * o.hidden);
  if (slots > 0)
    context_tags_ = map("context_tags", slots);
  embedding_ = map("embedding", o.embed_dim);
  if (with_bias)
    bias_ = register_parameter("bias", at::empty({out}));
}

at::Tensor Readout::forward(const DecisionState& d, Context& context) const {
  at::Tensor sum = recurrent_product(d.state, state_->weight, bias_, context) +
                   recurrent_product(d.context, context_->weight, {}, context) +
                   recurrent_product(d.embedding, embedding_->weight, {}, context);
  if (d.context_tags.defined())
    sum = sum + recurrent_product(d.context_tags, context_tags_->weight, {}, context);
  return sum;
}

void Readout::initialize(RecurrentInitializer& initializer) {
  for (const auto& each : {state_, context_, context_tags_, embedding_}) {
    if (each)
      initializer.matrix(each->weight);
  }
  if (bias_.defined())
    initializer.constant(bias_, 0.0);
}

double Readout::multiply_adds(double rows) const {
  return rows * (weight_count(state_) + weight_count(context_) + weight_count(context_tags_) +
                 weight_count(embedding_));
}

}  // namespace phraseq::nn
