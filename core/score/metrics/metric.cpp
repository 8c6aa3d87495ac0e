#include "core/score/metrics/metric.h"

namespace phraseq {

double Metric::score_single(std::span<const float> sums) const {
  const std::vector<double> widened(sums.begin(), sums.end());
  return score(widened);
}

}  // namespace phraseq
