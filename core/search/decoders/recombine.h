#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Joins the candidates of a sentence that have the same strings: one may have chosen a phrase that
/// another generates word by word. Words outside the vocabulary are compared by their spelling, not
/// by their common id. Only candidates that leave no queue are joined, so that all of them have the
/// same possible continuations.
///
/// The better one stays, with its row. Its total becomes the logarithm of the sum of both
/// probabilities; the increase is credited to this step's token. The result is ranked, best first.
PHRASEQ_API void recombine(const SearchState& state, std::vector<Candidate>& candidates);

/// Adds, to the ranked candidates of a sentence, all other continuations of its rows that have the
/// same strings as one of them, however improbable they are, so that `recombine` sums them all.
/// Continuations of rows that have left the beam are no longer known.
PHRASEQ_API void add_equal_candidates(const SearchState& state,
                                      const StepOutput& output,
                                      const std::vector<StepConstraint>& constraints,
                                      std::vector<Candidate>& candidates);

}  // namespace phraseq
