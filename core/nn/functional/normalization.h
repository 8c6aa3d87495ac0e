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
/// LN(residual + dropout(x)): the end of a post-norm sub-layer. x and residual [rows, model].
PHRASEQ_API at::Tensor dropout_add_norm(const at::Tensor& x,
                                        const at::Tensor& residual,
                                        const at::Tensor& gain,
                                        const at::Tensor& bias,
                                        double eps,
                                        double dropout,
                                        Context& context);
/// residual + dropout(x): the end of a pre-norm sub-layer. x and residual [rows, model].
PHRASEQ_API at::Tensor dropout_add(const at::Tensor& x,
                                   const at::Tensor& residual,
                                   double dropout,
                                   Context& context);
/// The same for any shape, with the key of a draw; dropout(x) if `residual` is undefined. For
/// tensors that the kernels of the CPU or the GPU support.
PHRASEQ_API at::Tensor dropout_add_with_key(const at::Tensor& x,
                                            const at::Tensor& residual,
                                            double p,
                                            uint64_t key);
/// x may have any shape; the result has the same.
PHRASEQ_API at::Tensor dropout(const at::Tensor& x, double p, Context& context);

}  // namespace phraseq::nn
