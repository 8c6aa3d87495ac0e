#pragma once

#include <cstddef>

namespace phraseq::nn {

inline constexpr size_t kBlockAlignment = 64;

/// In front of every block's data: the SizeClass that the block was made for; negative: malloc's,
/// -1 - its power of two (small_blocks.cpp).
struct alignas(kBlockAlignment) BlockHeader {
  int index;
};

}  // namespace phraseq::nn
