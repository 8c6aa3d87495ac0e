#include "core/nn/loss/smoothing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq::nn {
namespace {

std::vector<int64_t> sorted_distinct(std::vector<int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void check_ids(const std::vector<int64_t>& ids, int64_t vocabulary) {
  for (const int64_t id : ids) {
    if (id < 0 || id >= vocabulary) {
      throw UsageError(fmt::format("id {} is outside the vocabulary of {}", id, vocabulary));
    }
  }
}

double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

/// Distributes ε evenly over S without the gold class. `smoothed`: the number of classes in S,
/// including the gold class if it is in S.
SmoothedTarget spread_beside_gold(double epsilon, int64_t smoothed, bool gold_is_smoothed) {
  const int64_t others = smoothed - (gold_is_smoothed ? 1 : 0);
  if (others <= 0)
    return {};
  const double share = epsilon / static_cast<double>(others);
  const double entropy = -x_log_x(1.0 - epsilon) - static_cast<double>(others) * x_log_x(share);
  return {share, 1.0 - epsilon - (gold_is_smoothed ? share : 0.0), -entropy};
}

}  // namespace

SmoothingRule::SmoothingRule(const LabelSmoothing& label_smoothing, int64_t vocabulary)
    : excluded_(sorted_distinct(label_smoothing.excluded)), unsmoothed_(excluded_) {
  const double epsilon = label_smoothing.epsilon;
  if (!(epsilon >= 0.0 && epsilon < 1.0)) {
    throw UsageError(fmt::format(
        "--label-smoothing {} is out of range, expected at least 0 and below 1", epsilon));
  }
  check_ids(label_smoothing.excluded, vocabulary);
  check_ids(label_smoothing.unsmoothed, vocabulary);
  if (label_smoothing.smoothing == Smoothing::kNeutron) {
    unsmoothed_.insert(
        unsmoothed_.end(), label_smoothing.unsmoothed.begin(), label_smoothing.unsmoothed.end());
    unsmoothed_ = sorted_distinct(unsmoothed_);
  }
  const int64_t smoothed = vocabulary - static_cast<int64_t>(unsmoothed_.size());
  if (label_smoothing.smoothing == Smoothing::kFairseq) {
    const double share = epsilon / static_cast<double>(std::max<int64_t>(smoothed, 1));
    smoothed_gold_ = plain_gold_ = {share, 1.0 - epsilon, 0.0};
  } else {
    smoothed_gold_ = spread_beside_gold(epsilon, smoothed, true);
    plain_gold_ = spread_beside_gold(epsilon, smoothed, false);
  }
}

}  // namespace phraseq::nn
