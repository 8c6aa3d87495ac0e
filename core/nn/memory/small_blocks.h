#pragma once

#include <cstddef>

#include "core/nn/memory/block_header.h"

namespace phraseq::nn {

/// A block for fewer than kSmallestCachedBlock bytes: one that this thread freed, or one from
/// malloc; null if there is no memory. Each step of decoding requests the same hundred small
/// tensors, and malloc is slow for aligned memory.
BlockHeader* take_small_block(size_t bytes);

/// Keeps the block for this thread's next request, up to 256 kB of each power of two.
void free_small_block(BlockHeader* block);

}  // namespace phraseq::nn
