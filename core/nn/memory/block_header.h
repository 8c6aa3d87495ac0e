#pragma once

#include <cstddef>

namespace phraseq::nn {

inline constexpr size_t kBlockAlignment = 64;

/// Stored before every block's data: the index of the block's SizeClass or, for a block from
/// malloc, -1 - its power of two (small_blocks.cpp).
struct alignas(kBlockAlignment) BlockHeader {
  int index;
};

}  // namespace phraseq::nn
