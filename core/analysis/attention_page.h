#pragma once

#include <string>
#include <vector>

#include "core/analysis/attention_map.h"
#include "core/base/api.h"

namespace phraseq::analysis {

/// One HTML page that loads nothing: the heat maps of the places that the sentence has weights of,
/// with layer and head to choose.
PHRASEQ_API std::string attention_page(const RecordedSentence& sentence,
                                       const std::vector<AttentionPlace>& places,
                                       TargetLabels labels = TargetLabels::kGenerated);

}  // namespace phraseq::analysis
