#pragma once

#include "core/base/api.h"
#include "core/plot/svg.h"
#include "core/score/contrastive/contrastive_report.h"

namespace phraseq::score {

/// Accuracy by distance as lines; without distances, by the first group column as bars; without
/// groups, over all pairs.
PHRASEQ_API plot::Svg contrastive_plot(const ContrastiveReport& report);

}  // namespace phraseq::score
