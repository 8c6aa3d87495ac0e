#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// residual + dropout(x), or dropout(x) when `residual` is undefined, in one pass. Without
/// autograd, for contiguous tensors with has_kernels(), of any shape.
PHRASEQ_API at::Tensor dropout_add(const at::Tensor& x,
                                   const at::Tensor& residual,
                                   double p,
                                   uint64_t key);

/// y = dropout(max(x, 0)), under the same conditions; y may be x.
PHRASEQ_API void relu_dropout(const at::Tensor& x, const at::Tensor& y, double p, uint64_t key);

/// The gradient of x in relu_dropout() from that of its result y; p is 0 where nothing was dropped.
PHRASEQ_API at::Tensor relu_dropout_backward(const at::Tensor& dy, const at::Tensor& y, double p);

}  // namespace phraseq::nn::gpu
