#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Joins the candidates of a sentence that say the same words: one may have chosen a phrase that
/// another says word by word. Only candidates that leave no queue are joined, so that the same can
/// follow each.
///
/// The better one stays, with its row. Its total becomes the logarithm of the sum of both
/// probabilities; what that adds counts for this step's token.
/// The result is ranked, the best first.
PHRASEQ_API void recombine(const SearchState& state, std::vector<Candidate>& candidates);

}  // namespace phraseq
