#include "core/nn/recurrent/context_gru.h"

#include <ATen/ops/empty.h>

#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::nn {

ContextInput::ContextInput(torch::nn::Module& owner, const RecurrentOptions& o, int64_t slots) {
  const auto map = [&](const char* name, int64_t in) {
    return owner.register_module(
        name, std::make_shared<LinearMap>(in, 3 * o.hidden, /*with_bias=*/false));
  };
  context_ = map("context", 2 * o.hidden);
  if (slots > 0)
    context_tags_ = map("context_tags", slots);
}

at::Tensor ContextInput::products(const DecisionState& seen, Context& context) const {
  const at::Tensor sum = recurrent_product(seen.context, context_->weight, {}, context);
  if (!seen.context_tags.defined())
    return sum;
  return sum + recurrent_product(seen.context_tags, context_tags_->weight, {}, context);
}

void ContextInput::initialize(RecurrentInitializer& initializer) {
  initializer.matrix(context_->weight);
  if (context_tags_)
    initializer.matrix(context_tags_->weight);
}

double ContextInput::multiply_adds(double rows) const {
  return rows * (weight_count(context_) + weight_count(context_tags_));
}

ContextGru::ContextGru(const RecurrentOptions& o, int64_t slots)
    : GruCell(o.embed_dim, o.hidden), seen_(*this, o, slots) {}

at::Tensor ContextGru::step(const at::Tensor& input,
                            const at::Tensor& state,
                            const DecisionState& seen,
                            Context& context) const {
  return gru_update(input + seen_.products(seen, context), hidden_products(state, context), state);
}

void ContextGru::initialize(RecurrentInitializer& initializer) {
  GruCell::initialize(initializer);
  seen_.initialize(initializer);
}

double ContextGru::multiply_adds(double rows) const {
  return GruCell::multiply_adds(rows) + seen_.multiply_adds(rows);
}

SecondGru::SecondGru(const RecurrentOptions& o, int64_t slots)
    : weight_hh_(register_parameter("weight_hh", at::empty({3 * o.hidden, o.hidden}))),
      bias_hh_(register_parameter("bias_hh", at::empty({3 * o.hidden}))),
      seen_(*this, o, slots) {}

at::Tensor SecondGru::step(const at::Tensor& between,
                           const DecisionState& seen,
                           Context& context) const {
  return gru_update(seen_.products(seen, context),
                    recurrent_product(between, weight_hh_, bias_hh_, context),
                    between);
}

void SecondGru::initialize(RecurrentInitializer& initializer) {
  initializer.orthogonal(weight_hh_);
  initializer.constant(bias_hh_, 0.0);
  seen_.initialize(initializer);
}

double SecondGru::multiply_adds(double rows) const {
  return rows * static_cast<double>(weight_hh_.numel()) + seen_.multiply_adds(rows);
}

}  // namespace phraseq::nn
