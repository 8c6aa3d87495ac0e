#pragma once

#include <cstddef>

#include <torch/nn/module.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Throws OutOfMemory if `count` modules like `one` need far more memory than is available: more
/// than twice as much, because parameters that are mapped or quantized later need less.
PHRASEQ_API void require_room_for_modules(const torch::nn::Module& one, size_t count);

}  // namespace phraseq::nn
