#include "core/nn/functional.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/near_miss.h"
#include "core/nn/functional_composite.h"

namespace phraseq::nn {
namespace {

/// The key of a draw, or 0 where nothing is dropped: then no number is used up.
uint64_t dropout_key(double p, Context& context) {
  return p > 0.0 ? context.next_dropout_key() : 0;
}

}  // namespace

Activation activation_from(std::string_view name) {
  if (name == "none")
    return Activation::kNone;
  if (name == "relu")
    return Activation::kRelu;
  if (name == "gelu")
    return Activation::kGelu;
  if (name == "swish")
    return Activation::kSwish;
  const std::vector<std::string> known = {"none", "relu", "gelu", "swish"};
  throw UsageError(
      fmt::format("activation '{}' is not known; none, relu, gelu or swish were expected", name),
      did_you_mean(name, known));
}

at::Tensor linear(const at::Tensor& x,
                  const at::Tensor& weight,
                  const at::Tensor& bias,
                  Context& context,
                  Activation activation,
                  double dropout) {
  return composite::linear(x, weight, bias, activation, dropout, dropout_key(dropout, context));
}

at::Tensor stacked_linear(const at::Tensor& x,
                          const std::vector<at::Tensor>& weights,
                          const std::vector<at::Tensor>& biases,
                          Context& context) {
  const at::Tensor bias = biases.empty() ? at::Tensor() : at::cat(biases);
  return linear(x, at::cat(weights), bias, context);
}

at::Tensor self_attention(const at::Tensor& kvq,
                          const PackedTokens& tokens,
                          const AttentionOptions& options,
                          Context& context) {
  const auto parts = kvq.chunk(3, 1);
  return composite::attention({parts[2], parts[0], parts[1], &tokens.offsets, &tokens.offsets},
                              options,
                              dropout_key(options.dropout, context),
                              nullptr);
}

at::Tensor cross_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const PackedTokens& queries,
                           const PackedTokens& keys,
                           const AttentionOptions& options,
                           Context& context,
                           at::Tensor* weights) {
  const auto parts = kv.chunk(2, 1);
  return composite::attention({q, parts[0], parts[1], &queries.offsets, &keys.offsets},
                              options,
                              dropout_key(options.dropout, context),
                              weights);
}

at::Tensor layer_norm(
    const at::Tensor& x, const at::Tensor& gain, const at::Tensor& bias, double eps, Context&) {
  return composite::layer_norm(x, gain, bias, eps);
}

at::Tensor dropout_add_norm(const at::Tensor& x,
                            const at::Tensor& residual,
                            const at::Tensor& gain,
                            const at::Tensor& bias,
                            double eps,
                            double dropout,
                            Context& context) {
  return layer_norm(dropout_add(x, residual, dropout, context), gain, bias, eps, context);
}

at::Tensor dropout_add(const at::Tensor& x,
                       const at::Tensor& residual,
                       double dropout,
                       Context& context) {
  return residual + composite::dropout(x, dropout, dropout_key(dropout, context));
}

at::Tensor dropout(const at::Tensor& x, double p, Context& context) {
  return composite::dropout(x, p, dropout_key(p, context));
}

at::Tensor embed(const at::Tensor& ids,
                 const at::Tensor& positions,
                 const at::Tensor& table,
                 const at::Tensor& position_table,
                 double scale,
                 double dropout,
                 int64_t padding_id,
                 Context& context) {
  return composite::embed(ids,
                          positions,
                          table,
                          position_table,
                          scale,
                          dropout,
                          dropout_key(dropout, context),
                          padding_id,
                          context.activation_type());
}

}  // namespace phraseq::nn
