#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// The inputs of a normalization of residual + dropout(x): x and residual [rows, model] (residual
/// may be undefined), contiguous; gain [model] fp32. `moments` [2, rows] fp32 receives each row's
/// mean and reciprocal standard deviation, which the gradients need.
struct NormInputs {
  at::Tensor x, residual, gain, moments;
  double p = 0.0;
  uint64_t key = 0;
};

/// Whether there is a kernel for x [rows, model]: if has_kernels(x), for up to 2,048 columns and a
/// gain in fp32.
PHRASEQ_API bool has_norm_kernel(const at::Tensor& x, const at::Tensor& gain);

/// LN(residual + dropout(x)) in one pass, without autograd, for x with has_norm_kernel(); bias
/// [model] fp32.
PHRASEQ_API at::Tensor dropout_add_norm(const NormInputs& inputs,
                                        const at::Tensor& bias,
                                        double eps);

/// Computes the gradients of dropout_add_norm, in one pass and a sum: the gradient of x is written
/// to dx and that of residual + dropout(x) to d_sum, both [rows, model]; without dropout, they may
/// be the same tensor. Returns the gradients of gain and bias, [2, model].
PHRASEQ_API at::Tensor dropout_add_norm_backward(const NormInputs& inputs,
                                                 const at::Tensor& dy,
                                                 const at::Tensor& dx,
                                                 const at::Tensor& d_sum);

}  // namespace phraseq::nn::gpu
