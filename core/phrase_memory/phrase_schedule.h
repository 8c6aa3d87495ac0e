#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_matcher.h"

namespace phraseq {

/// PhraseOverlap::kDynamic: selects, among occurrences sorted by place and then by length, the
/// disjoint ones that cover the most words, at most `limit` of them, from left to right. Ties go to
/// fewer occurrences, then to the leftmost, then, at the same place, to the longer one.
///
/// Weighted interval scheduling: with an effective limit, it takes 4 bytes per word and allowed
/// occurrence (4 MB for 1,000 words and 1,000 occurrences); otherwise, 24 bytes per word.
PHRASEQ_API std::vector<PhraseOccurrence> schedule_phrases(
    const std::vector<PhraseOccurrence>& sorted, std::optional<int64_t> limit = std::nullopt);

}  // namespace phraseq
