#pragma once

#include <c10/core/Device.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The major compute capability of a GPU, from the CUDA runtime that LibTorch has loaded; 0 if
/// unknown.
PHRASEQ_API int compute_capability(const c10::Device& device);

}  // namespace phraseq::nn
