#include "core/plot/curves/smoothing.h"

#include <cmath>

namespace phraseq::plot {

std::vector<CurvePoint> moving_average(const std::vector<CurvePoint>& points, double weight) {
  std::vector<CurvePoint> smooth;
  double sum = 0, share = 0;
  for (CurvePoint point : points) {
    if (std::isfinite(point.y)) {
      sum = weight * sum + (1 - weight) * point.y;
      share = weight * share + (1 - weight);
      point.y = sum / share;
    }
    smooth.push_back(point);
  }
  return smooth;
}

}  // namespace phraseq::plot
