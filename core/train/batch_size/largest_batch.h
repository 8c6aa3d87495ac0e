#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The range to search for the largest batch. Sizes are tokens or sentences.
struct BatchRange {
  int64_t smallest = 1;
  int64_t largest = 1;
  int64_t bytes = 0;  ///< memory that a batch may need
};

/// Measures the bytes that a batch of a size needs; returns nothing if it does not fit.
using TryBatch = std::function<std::optional<int64_t>(int64_t size)>;

/// The result of a search for the largest batch.
struct LargestBatch {
  int64_t size = 0;   ///< 0 = not even the smallest fits
  int64_t bytes = 0;  ///< memory that it needed
  std::vector<int64_t> tried;
};

/// The largest batch that fits, to within a twentieth. The search bisects between a size that fits
/// and one that does not; the next size to try is the one that would use up the bytes if the memory
/// needed grew in proportion, but at most four times the last size that fit. A size that needs more
/// than the bytes does not fit.
PHRASEQ_API LargestBatch find_largest_batch(const BatchRange& range, const TryBatch& try_batch);

}  // namespace phraseq
