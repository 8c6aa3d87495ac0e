#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"
#include "core/optim/update_kernels.h"

namespace phraseq {

/// One step of Adam over flat buffers: the arguments of core/cuda/kernels/adam.cu. All tensors are
/// on one device and [elements] fp32 unless stated.
struct AdamPass {
  at::Tensor values, gradients, exp_avg, exp_avg_sq;
  at::Tensor copy;       ///< [elements] bf16 or fp16, or undefined
  at::Tensor take_step;  ///< [] bool; if false, nothing changes
  at::Tensor scale;      ///< [] fp64, multiplies the gradients as they are read
  kernels::AdamCoefficients<float> by;
};

using AdamKernel = void (*)(const AdamPass&);

/// Returns the kernel that steps these parameters in one pass over the buffers. Null if there is
/// none and operators must be used: not a GPU, no NVRTC, PHRASEQ_CUDA_KERNELS=0, or parameters that
/// are not fp32.
PHRASEQ_API AdamKernel adam_kernel_for(nn::FlatParameters& parameters);

}  // namespace phraseq
