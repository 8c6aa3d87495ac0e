#pragma once

// Host memory that a GPU copies from and to while the host continues.

#include <ATen/core/Tensor.h>

namespace phraseq::emulated_gpu {

c10::Allocator& pinned_allocator();

/// Whether `address` is the beginning of a block of pinned memory.
bool is_pinned(const void* address);

}  // namespace phraseq::emulated_gpu
