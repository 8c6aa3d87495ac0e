#pragma once

#include <cstddef>

namespace phraseq::nn {

/// The smallest block that the cache of large blocks holds; smaller ones are malloc's.
inline constexpr size_t kSmallestCachedBlock = size_t{1} << 16;

/// A size to which the cache rounds blocks up, of four per power of two:
/// kSmallestCachedBlock · 2^(index / 4) · (1 + (index mod 4) / 4).
struct SizeClass {
  int index;
  size_t bytes;
};

inline constexpr int kSizesPerDoubling = 4;

SizeClass size_class_at(int index);

/// The smallest class that holds `bytes`.
SizeClass size_class_for(size_t bytes);

}  // namespace phraseq::nn
