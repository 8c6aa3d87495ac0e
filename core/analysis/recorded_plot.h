#pragma once

#include <string>
#include <vector>

#include "core/analysis/recorded.h"
#include "core/base/api.h"
#include "core/plot/heat_map.h"

namespace phraseq::analysis {

/// The chosen tensors of a sentence as one heat map: a single tensor with two dimensions, or any
/// number of vectors of the same length, one per row. Dimensions that run over the source tokens or
/// the target tokens fed to the decoder are labeled with them. Throws UsageError if the tensors fit
/// neither form.
PHRASEQ_API plot::HeatMap recorded_map(const RecordedSentence& sentence,
                                       const std::vector<std::string>& wanted);

}  // namespace phraseq::analysis
