#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/score/metrics/edit_distance.h"

namespace phraseq::score {

/// Edits (insert, delete, substitute, and shifts of phrases, one each) that turn `hypothesis` into
/// `reference` by tercom's greedy search, as in sacrebleu.
///
/// In each round, the shift that lowers the edit distance most is made; ties are broken in favor of
/// the longest phrase, then the leftmost origin, then the leftmost target, then the words that sort
/// last. Phrases are up to 10 words and move up to 50; after 1,000 candidates the search ends
/// without making the shift just found. Word numbers must sort like the words. With an empty
/// reference, every word is an edit.
PHRASEQ_API int64_t count_ter_edits(const WordRow& hypothesis, const WordRow& reference);

}  // namespace phraseq::score
