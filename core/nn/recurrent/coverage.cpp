#include "core/nn/recurrent/coverage.h"

#include <ATen/ops/lerp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::nn {

Coverage::Coverage(const RecurrentOptions& o, int64_t slots)
    : width_(o.coverage_width()),
      most_words_(o.fertility),
      linguistic_(o.linguistic()),
      gated_(o.coverage_gate) {
  const auto map = [this](const char* name, int64_t in, int64_t out) {
    return register_module(name, std::make_shared<LinearMap>(in, out, /*with_bias=*/false));
  };
  if (linguistic_) {
    if (most_words_ > 0)
      fertility_ = map("fertility", 2 * o.hidden, 1);
    return;
  }
  const int64_t rows = (gated_ ? 3 : 1) * width_;
  attention_ = map("attention", 1, rows);
  source_ = map("source", 2 * o.hidden, rows);
  if (slots > 0)
    source_tags_ = map("source_tags", slots, rows);
  state_ = map("state", o.hidden, rows);
  hidden_ = map("hidden", width_, rows);
}

at::Tensor Coverage::read(const at::Tensor& states, Context& context) const {
  if (source_)
    return recurrent_product(states, source_->weight, {}, context);
  if (!fertility_)
    return {};
  const at::Tensor openness =
      recurrent_product(states, fertility_->weight, {}, context);  // [batch, src_time, 1]
  return 1.0 / (most_words_ * at::sigmoid(openness.squeeze(2)));   // [batch, src_time]
}

at::Tensor Coverage::start(const at::Tensor& states) const {
  return at::zeros({states.size(0), states.size(1), width_}, states.options());
}

at::Tensor Coverage::gated(const at::Tensor& coverage, const at::Tensor& input) const {
  const at::Tensor& weight = hidden_->weight;
  const at::Tensor gates =  // [rows, src_time, 2 · coverage]
      at::sigmoid(input.narrow(2, 0, 2 * width_) +
                  at::matmul(coverage, weight.narrow(0, 0, 2 * width_).t()));
  const at::Tensor kept = gates.narrow(2, width_, width_) * coverage;  // [rows, src_time, coverage]
  const at::Tensor candidate =                                         // [rows, src_time, coverage]
      at::tanh(input.narrow(2, 2 * width_, width_) +
               at::matmul(kept, weight.narrow(0, 2 * width_, width_).t()));
  return at::lerp(coverage, candidate, gates.narrow(2, 0, width_));  // [rows, src_time, coverage]
}

at::Tensor Coverage::update(const at::Tensor& coverage,
                            const at::Tensor& weights,
                            const at::Tensor& state,
                            const at::Tensor& from_source,
                            const at::Tensor& tags,
                            Context& context) const {
  if (linguistic_)
    return coverage +
           (fertility_ ? weights * from_source : weights).unsqueeze(2);  // [rows, src_time, 1]
  // parts = 3 with a gate (z, r, c), 1 without
  const at::Tensor of_step =
      recurrent_product(state, state_->weight, {}, context);  // [rows, parts · coverage]
  at::Tensor input =                                          // [rows, src_time, parts · coverage]
      from_source + weights.unsqueeze(2) * attention_->weight.t() + of_step.unsqueeze(1);
  if (tags.defined())
    input =
        input + at::matmul(tags, source_tags_->weight.t());  // [rows, src_time, parts · coverage]
  return gated_ ? gated(coverage, input)
                : at::tanh(input + at::matmul(coverage,
                                              hidden_->weight.t()));  // [rows, src_time, coverage]
}

void Coverage::initialize(RecurrentInitializer& initializer) {
  if (fertility_)
    initializer.matrix(fertility_->weight);
  if (linguistic_)
    return;
  initializer.constant(attention_->weight, 0.0);
  for (const auto& each : {source_, source_tags_, state_}) {
    if (each)
      initializer.coverage_matrix(each->weight);
  }
  initializer.orthogonal(hidden_->weight);
}

double Coverage::multiply_adds(double source_tokens, double steps) const {
  return source_tokens * (weight_count(source_) + weight_count(fertility_)) +
         steps * weight_count(state_) +
         source_tokens * steps * (weight_count(source_tags_) + weight_count(hidden_));
}

}  // namespace phraseq::nn
