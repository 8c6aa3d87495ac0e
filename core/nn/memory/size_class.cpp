#include "core/nn/memory/size_class.h"

#include <bit>

namespace phraseq::nn {

SizeClass size_class_at(int index) {
  const size_t base = kSmallestCachedBlock << (index / kSizesPerDoubling);
  const auto step = static_cast<size_t>(index % kSizesPerDoubling);
  return {index, base + base / kSizesPerDoubling * step};
}

SizeClass size_class_for(size_t bytes) {
  if (bytes <= kSmallestCachedBlock)
    return size_class_at(0);
  const int power = std::bit_width(bytes - 1) - 1;
  const size_t base = size_t{1} << power, step = base / kSizesPerDoubling;
  const auto steps = static_cast<int>((bytes - base + step - 1) / step);
  return size_class_at((power - std::countr_zero(kSmallestCachedBlock)) * kSizesPerDoubling +
                       steps);
}

}  // namespace phraseq::nn
