#pragma once

#include "core/base/api.h"
#include "core/plot/chart.h"
#include "core/plot/svg.h"

namespace phraseq::plot {

/// Points joined by lines, which break where a value is missing; labels are shown on hovering.
PHRASEQ_API Svg line_chart(const Chart& chart);

}  // namespace phraseq::plot
