#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The gradient of a parameter, in an autograd function that computes it itself. Every such
/// function writes the gradient through this class.
///
/// The gradient is added to the parameter's part of the flat gradients, if there is one. Autograd
/// then receives nothing, which saves a pass over the parameter. Otherwise, it is a separate sum,
/// which is returned to autograd.
class PHRASEQ_API ParameterGradient {
 public:
  /// `place`: Context::gradient of the parameter, or undefined. `sizes` and `options` are those of
  /// the parameter.
  ParameterGradient(const at::Tensor& place,
                    at::IntArrayRef sizes,
                    const at::TensorOptions& options);

  /// Adds x, of the parameter's shape. x may be bf16 if the sum is fp32.
  void add(const at::Tensor& x);
  /// Adds a b for matrices, which may be bf16 if the sum is fp32.
  void add_product(const at::Tensor& a, const at::Tensor& b);
  /// The sum so far, for a kernel that adds to it.
  const at::Tensor& sum() const { return sum_; }
  /// The gradient that the backward pass returns for the parameter: undefined if it was added to
  /// the flat gradients.
  at::Tensor for_autograd() const { return is_placed_ ? at::Tensor() : sum_; }

 private:
  bool is_placed_;
  at::Tensor sum_;
};

}  // namespace phraseq::nn
