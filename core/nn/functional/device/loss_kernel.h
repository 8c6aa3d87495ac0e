#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/reference/functional_reference.h"

namespace phraseq::nn::gpu {

/// reference::loss_rows in one kernel, which reads the logits twice and writes their gradient once.
/// For contiguous logits with has_kernels().
PHRASEQ_API reference::LossRows loss_rows(at::Tensor& logits,
                                          const at::Tensor& bias,
                                          const at::Tensor& targets,
                                          const SmoothingRule& rule,
                                          const reference::LossIds& ids,
                                          bool with_gradient,
                                          double scale);

}  // namespace phraseq::nn::gpu
