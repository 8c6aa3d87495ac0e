#pragma once

#include <cstddef>

#include "core/nn/memory/block_header.h"

namespace phraseq::nn {

/// A block for fewer than kSmallestCachedBlock bytes: one that this thread freed, or malloc's; null
/// without memory. A step of decoding asks for the same hundred small tensors again and again, and
/// malloc takes long for aligned memory.
BlockHeader* take_small_block(size_t bytes);

/// Keeps the block for this thread's next request, up to 256 kB of each power of two.
void free_small_block(BlockHeader* block);

}  // namespace phraseq::nn
