#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn::gpu {

/// LN(residual + dropout(x)) in one pass, and its gradients in two. For tensors with has_kernels():
/// x and residual [rows, model] (residual may be undefined), gain and bias [model] fp32.
PHRASEQ_API at::Tensor dropout_add_norm(const at::Tensor& x,
                                        const at::Tensor& residual,
                                        const at::Tensor& gain,
                                        const at::Tensor& bias,
                                        double eps,
                                        double p,
                                        uint64_t key,
                                        const Context& context);

}  // namespace phraseq::nn::gpu
