#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::plot {

/// An axis of numbers: evenly spaced round ticks (1, 2 or 5 times a power of ten apart) that reach
/// from below the lowest value to above the highest.
class PHRASEQ_API Scale {
 public:
  /// About `intervals` spaces between ticks. Equal or reversed limits are widened to a unit, or to
  /// a thousandth of large ones. The limits must be finite.
  Scale(double lowest, double highest, int intervals);

  double first() const { return ticks_.front(); }
  double last() const { return ticks_.back(); }
  const std::vector<double>& ticks() const { return ticks_; }
  /// The value with as many decimals as the distance between ticks requires, and commas between
  /// thousands.
  std::string label(double value) const;
  /// 0 at the first tick, 1 at the last.
  double share(double value) const { return (value - first()) / (last() - first()); }

 private:
  std::vector<double> ticks_;
  int decimals_ = 0;
};

}  // namespace phraseq::plot
