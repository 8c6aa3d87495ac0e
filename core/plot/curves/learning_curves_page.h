#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plot/curves/learning_curves.h"

namespace phraseq::plot {

/// One self-contained HTML page: the figure, and a table of the runs.
PHRASEQ_API std::string learning_curves_page(const std::vector<LabeledRun>& runs,
                                             const CurveSettings& settings);

}  // namespace phraseq::plot
