#pragma once

#include <vector>

#include "core/plot/thin_out.h"

namespace phraseq::plot {

/// The exponential moving average of y, corrected for its beginning as TensorBoard does: s_n = w
/// s_{n-1} + (1 - w) y_n, drawn as s_n / (1 - w^n). A y that is not finite remains a gap and is not
/// averaged. 0 <= weight < 1.
std::vector<CurvePoint> moving_average(const std::vector<CurvePoint>& points, double weight);

}  // namespace phraseq::plot
