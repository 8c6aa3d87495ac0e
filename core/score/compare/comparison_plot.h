#pragma once

#include "core/base/api.h"
#include "core/plot/svg.h"
#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// The scores in the buckets of `table`, which belongs to the comparison, with their 95 %
/// intervals: bars with the scores and `*` for significant differences above them, or lines.
PHRASEQ_API plot::Svg comparison_plot(const Comparison& comparison,
                                      const BucketTable& table,
                                      int width,
                                      bool lines);

}  // namespace phraseq::score
