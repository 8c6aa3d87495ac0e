#include "core/nn/functional/linear/stacked_parameters.h"

#include <ATen/ops/cat.h>

#include "core/nn/functional/cpu_kernels.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// The flat gradients of all parts as one tensor; undefined if they do not exist or are not
/// adjacent.
at::Tensor gradient_place(at::TensorList parameters, const Context& context) {
  std::vector<at::Tensor> places;
  for (const at::Tensor& parameter : parameters) {
    places.push_back(context.gradient(parameter));
    if (!places.back().defined())
      return {};
  }
  return places.empty() ? at::Tensor() : side_by_side(places, false);
}

/// Splits a gradient [Σ out, …] of stacked parameters into the gradients of the parts, [out, …]
/// each.
void append_parts(const at::Tensor& gradient,
                  const std::vector<int64_t>& rows,
                  tensor_list& parts) {
  int64_t first = 0;
  for (const int64_t count : rows) {
    parts.push_back(gradient.defined() ? gradient.narrow(0, first, count)
                                       : at::Tensor());  // [out, …]
    first += count;
  }
}

std::vector<int64_t> row_counts(at::TensorList parts) {
  std::vector<int64_t> counts;
  for (const at::Tensor& part : parts) counts.push_back(part.size(0));
  return counts;
}

}  // namespace

bool are_adjacent(at::TensorList parts) {
  const auto* next = static_cast<const char*>(parts[0].const_data_ptr());
  for (const at::Tensor& part : parts) {
    if (!part.is_contiguous() || part.const_data_ptr() != next || !part.is_alias_of(parts[0]))
      return false;
    next += part.nbytes();
  }
  return true;
}

at::Tensor side_by_side(at::TensorList parts, bool may_copy) {
  if (parts.size() == 1)
    return parts[0];
  if (!are_adjacent(parts))
    return may_copy ? at::cat(parts) : at::Tensor();  // [Σ out, …]
  auto sizes = parts[0].sizes().vec();
  sizes[0] = 0;
  for (const at::Tensor& part : parts) sizes[0] += part.size(0);
  return parts[0].as_strided(sizes, parts[0].strides());  // [Σ out, …]
}

at::Tensor stacked_weight(at::TensorList weights, const Context& context) {
  std::vector<at::Tensor> compute;
  for (const at::Tensor& weight : weights) compute.push_back(context.compute(weight));
  return side_by_side(compute);
}

at::Tensor stacked_bias(at::TensorList biases) {
  return biases.empty() ? at::Tensor() : side_by_side(biases);
}

at::Tensor narrow_stacked_bias(at::TensorList biases, const Context& context) {
  return biases.empty() ? at::Tensor() : stacked_weight(biases, context);
}

void save_places(AutogradContext* ctx,
                 at::TensorList weights,
                 at::TensorList biases,
                 const Context& context) {
  ctx->saved_data["weight rows"] = row_counts(weights);
  ctx->saved_data["bias rows"] = row_counts(biases);
  ctx->saved_data["weight gradient"] = gradient_place(weights, context);
  ctx->saved_data["bias gradient"] = gradient_place(biases, context);
}

StackedGradients::StackedGradients(AutogradContext* ctx,
                                   const at::Tensor& x,
                                   const at::Tensor& stacked)
    : weight_rows(ctx->saved_data["weight rows"].toIntVector()),
      bias_rows(ctx->saved_data["bias rows"].toIntVector()) {
  const at::TensorOptions options = cpu::sum_options(x);
  if (ctx->needs_input_grad(1))
    weight.emplace(ctx->saved_data["weight gradient"].toTensor(), stacked.sizes(), options);
  bool bias_needed = false;
  for (size_t i = 0; i < bias_rows.size(); ++i)
    bias_needed = bias_needed || ctx->needs_input_grad(1 + weight_rows.size() + i);
  if (bias_needed) {
    bias.emplace(
        ctx->saved_data["bias gradient"].toTensor(), at::IntArrayRef{stacked.size(0)}, options);
  }
}

tensor_list StackedGradients::for_autograd(const at::Tensor& dx, size_t others) const {
  tensor_list gradients = {dx};
  append_parts(weight ? weight->for_autograd() : at::Tensor(), weight_rows, gradients);
  append_parts(bias ? bias->for_autograd() : at::Tensor(), bias_rows, gradients);
  gradients.resize(gradients.size() + others);
  return gradients;
}

}  // namespace phraseq::nn
