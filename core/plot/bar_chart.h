#pragma once

#include "core/base/api.h"
#include "core/plot/chart.h"
#include "core/plot/svg.h"

namespace phraseq::plot {

/// Bars from zero, with labels above them.
PHRASEQ_API Svg bar_chart(const Chart& chart);

}  // namespace phraseq::plot
