#include "core/train/batch_size/largest_batch.h"

#include <algorithm>
#include <limits>

namespace phraseq {
namespace {

constexpr int64_t kGrowth = 4;
constexpr int64_t kResolution = 20;  // stop when less than a twentieth could be gained

class Bisection {
 public:
  explicit Bisection(const BatchRange& range) : range_(range), fails_(range.largest + 1) {}

  /// The size to try next; nothing if the size found so far is good enough.
  std::optional<int64_t> next() const {
    if (found_.size == 0)
      return found_.tried.empty() ? std::optional(range_.smallest) : std::nullopt;
    const int64_t reachable = std::min(proportional(), fails_ - 1);
    const bool gains = reachable - found_.size > found_.size / kResolution ||
                       (reachable == range_.largest && reachable > found_.size);
    if (!gains)
      return std::nullopt;
    return fails_ > range_.largest ? reachable : within_bracket();
  }

  void note(int64_t size, const std::optional<int64_t>& bytes) {
    found_.tried.push_back(size);
    if (bytes && *bytes <= range_.bytes) {
      found_.size = size;
      found_.bytes = *bytes;
    } else {
      fails_ = size;
    }
  }

  const LargestBatch& found() const { return found_; }

 private:
  /// The size that would use up all bytes, at most kGrowth times the last that fit.
  int64_t proportional() const {
    const int64_t most = found_.size > std::numeric_limits<int64_t>::max() / kGrowth
                             ? std::numeric_limits<int64_t>::max()
                             : found_.size * kGrowth;
    if (found_.bytes <= 0)
      return most;
    const double size = static_cast<double>(found_.size) * static_cast<double>(range_.bytes) /
                        static_cast<double>(found_.bytes);
    return size < static_cast<double>(most) ? static_cast<int64_t>(size) : most;
  }

  /// The proportional size, moved into the middle half of the range between the largest size that
  /// fits and the smallest that does not. If it is known not to fit, the middle of that range.
  int64_t within_bracket() const {
    const int64_t gap = fails_ - found_.size;
    const int64_t guess = proportional();
    return guess >= fails_ ? found_.size + gap / 2
                           : std::clamp(guess, found_.size + gap / 4, fails_ - 1 - (gap - 1) / 4);
  }

  BatchRange range_;
  int64_t fails_;  ///< the smallest size that does not fit
  LargestBatch found_;
};

}  // namespace

LargestBatch find_largest_batch(const BatchRange& range, const TryBatch& try_batch) {
  Bisection bisection(range);
  while (const auto size = bisection.next()) bisection.note(*size, try_batch(*size));
  return bisection.found();
}

}  // namespace phraseq
