#pragma once

#include <cstddef>
#include <vector>

#include "core/base/api.h"

namespace phraseq::plot {

/// One measurement, in units of the axes.
struct CurvePoint {
  double x = 0;
  double y = 0;
};

/// Keeps at most four points for each of `columns` strips between `lowest` and `highest` x: the
/// first, the last, the lowest and the highest, so that no peak is lost. Gaps remain gaps.
PHRASEQ_API std::vector<CurvePoint> thin_out(const std::vector<CurvePoint>& points,
                                             double lowest,
                                             double highest,
                                             size_t columns);

}  // namespace phraseq::plot
