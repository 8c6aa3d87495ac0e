#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// One step of Adam over flat buffers, as core/cuda/kernels/adam.cu takes it. Tensors are on one
/// device; [elements] fp32 unless stated.
struct AdamPass {
  at::Tensor values, gradients, exp_avg, exp_avg_sq;
  at::Tensor copy;       ///< [elements] bf16 or fp16, or undefined
  at::Tensor take_step;  ///< [] bool; if false, nothing changes
  at::Tensor scale;      ///< [] fp64, multiplies the gradients as they are read
  float beta1 = 0, one_minus_beta1 = 0, beta2 = 0, one_minus_beta2 = 0;
  float decay_factor = 1;  ///< 1 - lr · weight decay
  float step_size = 0, eps = 0;
};

using AdamKernel = void (*)(const AdamPass&);

/// Returns the kernel that steps these parameters in one pass over the buffers. Null where there is
/// none, so that operators must do it: not asked for (PHRASEQ_CUDA_KERNELS=1), not a GPU, no NVRTC,
/// or parameters that are not fp32.
PHRASEQ_API AdamKernel adam_kernel_for(nn::FlatParameters& parameters);

/// Replaces the GPU's kernel, for tests: all parameters in fp32 are stepped with `kernel`; null =
/// undoes that.
PHRASEQ_API void replace_adam_kernel(AdamKernel kernel);

}  // namespace phraseq
