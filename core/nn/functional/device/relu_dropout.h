#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// dropout(max(x, 0)), differentiable, with one pass in each direction; only the result is kept for
/// the gradient. For x of any shape with has_kernels(); key 0 = no dropout.
PHRASEQ_API at::Tensor relu_with_dropout(const at::Tensor& x, double p, uint64_t key);

}  // namespace phraseq::nn::gpu
