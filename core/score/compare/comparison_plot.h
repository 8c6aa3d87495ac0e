#pragma once

#include "core/base/api.h"
#include "core/plot/svg.h"
#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// The scores by length, with their 95 % intervals: bars with the scores and `*` for significant
/// differences above them, or lines.
PHRASEQ_API plot::Svg comparison_plot(const Comparison& comparison, int width, bool lines);

}  // namespace phraseq::score
