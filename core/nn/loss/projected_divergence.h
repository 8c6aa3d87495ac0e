#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// Σ over rows of KL(p‖q) + KL(q‖p), the divergence of two passes' distributions over the
/// vocabulary; a differentiable scalar in fp32 (fp64). Both passes receive a gradient. As in
/// projected_cross_entropy, logits are computed in chunks of rows and the gradient in the same
/// pass.
///
/// one and other [rows, model], weight [vocab, model], bias [vocab] or undefined. `excluded` ids
/// are left out of both softmaxes.
PHRASEQ_API at::Tensor projected_divergence(const at::Tensor& one,
                                            const at::Tensor& other,
                                            const at::Tensor& weight,
                                            const at::Tensor& bias,
                                            const std::vector<int64_t>& excluded,
                                            Context& context);

}  // namespace phraseq::nn
