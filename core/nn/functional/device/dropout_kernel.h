#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// residual + dropout(x), or dropout(x) if `residual` is undefined, in one pass. Without autograd,
/// for contiguous tensors with has_kernels(), of any shape.
PHRASEQ_API at::Tensor dropout_add(const at::Tensor& x,
                                   const at::Tensor& residual,
                                   double p,
                                   uint64_t key);

/// y = dropout(max(x, 0)), under the same conditions; y may be x. Its gradient:
/// relu_dropout_backward() in column_sums.h.
PHRASEQ_API void relu_dropout(const at::Tensor& x, const at::Tensor& y, double p, uint64_t key);

}  // namespace phraseq::nn::gpu
