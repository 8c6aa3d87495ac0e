#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// Euclidean norm of a flat gradient buffer, summed in double in a fixed order, so the same number
/// of threads gives the same bits. NaN or infinity if the buffer contains one.
PHRASEQ_API double gradient_norm(const at::Tensor& gradients);

/// Computes the same as a scalar [] fp64 on the gradients' device: the host does not wait for the
/// value.
PHRASEQ_API at::Tensor gradient_norm_on_device(const at::Tensor& gradients);

/// The factor that brings a gradient of norm `norm` down to `clip_norm`; 1 if it is not larger, or
/// if clipping is off (0).
PHRASEQ_API double clip_factor(double norm, double clip_norm);

/// Computes the same factor for a norm on a device, fp64 [], and leaves it there.
PHRASEQ_API at::Tensor clip_factor_on_device(const at::Tensor& norm, double clip_norm);

}  // namespace phraseq
