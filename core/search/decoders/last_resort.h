#pragma once

#include <functional>
#include <vector>

#include "core/base/api.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Whether a candidate is </s> although its row's constraint forbids it, because nothing else was
/// possible (rank_rows).
PHRASEQ_API bool is_last_resort(const Candidate& candidate,
                                const std::vector<StepConstraint>& constraints);

/// Drops the last resorts among the candidates of a sentence's rows if there are other candidates
/// or finished hypotheses: a hypothesis that breaks a constraint is taken only if its sentence has
/// no other.
PHRASEQ_API void drop_last_resorts(const SearchState& state,
                                   CandidateLists& rows_of_sentence,
                                   const std::function<bool(const Candidate&)>& last_resort);

}  // namespace phraseq
