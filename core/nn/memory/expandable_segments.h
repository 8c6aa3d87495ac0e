#pragma once

#include "core/base/api.h"

namespace phraseq::nn {

/// Lets LibTorch's allocator of a GPU's memory grow its segments, so that batches of changing shape
/// leave fewer gaps between their tensors. Does nothing and returns false if
/// PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF is set. Call it before the GPU is used.
PHRASEQ_API bool use_expandable_segments();

}  // namespace phraseq::nn
