#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/context.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn {

/// Whether each of the tensors begins where the previous one ends.
bool are_adjacent(at::TensorList parts);

/// Tensors [out, …] as one [Σ out, …], along the first dimension: a view if they are adjacent,
/// otherwise a copy, or an undefined tensor unless `may_copy`.
at::Tensor side_by_side(at::TensorList parts, bool may_copy = true);

/// The stacked matrices that the product reads: [Σ out, in].
at::Tensor stacked_weight(at::TensorList weights, const Context& context);

/// The stacked biases [Σ out]; undefined if there are none.
at::Tensor stacked_bias(at::TensorList biases);

/// The stacked biases in the type of activations, for operators that add it to a product.
at::Tensor narrow_stacked_bias(at::TensorList biases, const Context& context);

/// Saves what the backward pass needs to know about the stacked parameters.
void save_places(torch::autograd::AutogradContext* ctx,
                 at::TensorList weights,
                 at::TensorList biases,
                 const Context& context);

/// The gradients of the stacked parameters, as far as they are needed. The variables of the
/// function are x, then the weights, then the biases.
struct StackedGradients {
  StackedGradients(torch::autograd::AutogradContext* ctx,
                   const at::Tensor& x,
                   const at::Tensor& stacked);

  /// The gradients of all variables in order, followed by `others` undefined ones.
  torch::autograd::tensor_list for_autograd(const at::Tensor& dx, size_t others) const;

  std::vector<int64_t> weight_rows, bias_rows;
  std::optional<ParameterGradient> weight, bias;  // [Σ out, in], [Σ out]
};

}  // namespace phraseq::nn
