#pragma once

#include <string>
#include <vector>

#include "core/analysis/attention_map.h"
#include "core/base/api.h"

namespace phraseq::analysis {

/// One self-contained HTML page with a heat map for each kind of attention for which the sentence
/// has weights. The reader chooses layer and head.
PHRASEQ_API std::string attention_page(const RecordedSentence& sentence,
                                       const std::vector<AttentionPlace>& places,
                                       TargetLabels labels = TargetLabels::kGenerated);

}  // namespace phraseq::analysis
