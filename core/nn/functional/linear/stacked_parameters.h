#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/context.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn {

/// Whether each of the tensors begins where the one before it ends.
bool are_adjacent(at::TensorList parts);

/// Tensors [out, …] as one [Σ out, …], along the first dimension: a view when they lie side by
/// side, else a copy, or an undefined tensor unless `may_copy`.
at::Tensor side_by_side(at::TensorList parts, bool may_copy = true);

/// The matrices that the product reads, side by side: [Σ out, in].
at::Tensor stacked_weight(at::TensorList weights, const Context& context);

/// [Σ out]; undefined where there are none.
at::Tensor stacked_bias(at::TensorList biases);

/// The same in the type of activations, for operators that add it to a product.
at::Tensor narrow_stacked_bias(at::TensorList biases, const Context& context);

/// What the backward pass has to know of the stacked parameters.
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

  /// The gradients of all variables in their order; undefined ones for `others` more.
  torch::autograd::tensor_list for_autograd(const at::Tensor& dx, size_t others) const;

  std::vector<int64_t> weight_rows, bias_rows;
  std::optional<ParameterGradient> weight, bias;  // [Σ out, in], [Σ out]
};

}  // namespace phraseq::nn
