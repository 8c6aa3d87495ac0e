#include "core/nn/recurrent/additive_attention.h"

#include <ATen/ops/softmax.h>

#include "core/nn/functional/additive_step.h"
#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::nn {
namespace {

std::shared_ptr<LinearMap> map(int64_t in, int64_t out, bool with_bias) {
  return std::make_shared<LinearMap>(in, out, with_bias);
}

/// Features with their weight; without features, both are undefined.
TokenFeatures with_weight(const at::Tensor& x, const std::shared_ptr<LinearMap>& map) {
  return x.defined() ? TokenFeatures{x, map->weight} : TokenFeatures{};
}

}  // namespace

AdditiveAttention::AdditiveAttention(const RecurrentOptions& o, int64_t slots) {
  const int64_t width = 2 * o.hidden;
  source_ = register_module("source", map(width, width, /*with_bias=*/true));
  if (slots > 0)
    tags_ = register_module("tags", map(slots, width, /*with_bias=*/false));
  state_ = register_module("state", map(o.hidden, width, /*with_bias=*/false));
  if (!o.two_cells())
    embedding_ = register_module("embedding", map(o.embed_dim, width, /*with_bias=*/false));
  if (o.has_coverage())
    coverage_ = register_module("coverage", map(o.coverage_width(), width, /*with_bias=*/false));
  energy_ = register_module("energy", map(width, 1, /*with_bias=*/true));
}

at::Tensor AdditiveAttention::keys(const at::Tensor& states, Context& context) const {
  return recurrent_product(states, source_->weight, source_->bias, context);
}

at::Tensor AdditiveAttention::embedding_query(const at::Tensor& embeddings,
                                              Context& context) const {
  if (!embedding_)
    return {};
  return recurrent_product(embeddings, embedding_->weight, {}, context);
}

at::Tensor AdditiveAttention::weights(const SharedInput& keys,
                                      const at::Tensor& mask,
                                      const Query& query,
                                      Context& context) const {
  at::Tensor of_step =
      recurrent_product(query.state, state_->weight, {}, context);  // [rows, 2 · hidden]
  if (query.embedding.defined())
    of_step = of_step + query.embedding;
  const AdditiveInput input{
      keys,
      of_step,
      {with_weight(query.tags, tags_), with_weight(query.coverage, coverage_)},
      energy_->weight[0]};
  const at::Tensor energies = additive_energies(input, mask) + energy_->bias;  // [rows, src_time]
  return at::softmax(energies, 1);                                             // [rows, src_time]
}

void AdditiveAttention::initialize(RecurrentInitializer& initializer) {
  initializer.orthogonal(source_->weight);
  for (const auto& each : {tags_, state_, embedding_, energy_}) {
    if (each)
      initializer.matrix(each->weight);
  }
  if (coverage_)
    initializer.coverage_matrix(coverage_->weight);
  initializer.constant(source_->bias, 0.0);
  initializer.constant(energy_->bias, 0.0);
}

double AdditiveAttention::multiply_adds(double source_tokens, double steps) const {
  return source_tokens * weight_count(source_) +
         steps * (weight_count(state_) + weight_count(embedding_)) +
         source_tokens * steps * (weight_count(tags_) + weight_count(coverage_));
}

}  // namespace phraseq::nn
