#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace phraseq::nn {

/// The length of the longest of the packed sentences, but at least `least`. `offsets` [sentences +
/// 1]: the beginning of each sentence, and the end of the last one.
inline int64_t longest(const std::vector<int64_t>& offsets, int64_t least = 0) {
  int64_t length = least;
  for (size_t i = 1; i < offsets.size(); ++i)
    length = std::max(length, offsets[i] - offsets[i - 1]);
  return length;
}

}  // namespace phraseq::nn
