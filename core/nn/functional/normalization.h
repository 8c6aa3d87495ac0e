#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// Layer normalization (Ba et al. 2016): biased variance, eps inside the root. x [rows, model],
/// gain and bias [model].
PHRASEQ_API at::Tensor layer_norm(const at::Tensor& x,
                                  const at::Tensor& gain,
                                  const at::Tensor& bias,
                                  double eps,
                                  Context& context);
/// LN(residual + dropout(x)): a post-norm sub-layer's end. x and residual [rows, model].
PHRASEQ_API at::Tensor dropout_add_norm(const at::Tensor& x,
                                        const at::Tensor& residual,
                                        const at::Tensor& gain,
                                        const at::Tensor& bias,
                                        double eps,
                                        double dropout,
                                        Context& context);
/// residual + dropout(x): a pre-norm sub-layer's end. x and residual [rows, model].
PHRASEQ_API at::Tensor dropout_add(const at::Tensor& x,
                                   const at::Tensor& residual,
                                   double dropout,
                                   Context& context);
/// The same with the key of a draw, of any shape; dropout(x) where `residual` is undefined. For
/// tensors that the kernels of the CPU or the GPU compute with.
PHRASEQ_API at::Tensor dropout_add_with_key(const at::Tensor& x,
                                            const at::Tensor& residual,
                                            double p,
                                            uint64_t key);
/// x of any shape, which the result has.
PHRASEQ_API at::Tensor dropout(const at::Tensor& x, double p, Context& context);

}  // namespace phraseq::nn
