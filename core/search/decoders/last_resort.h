#pragma once

#include <functional>
#include <vector>

#include "core/base/api.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Whether a candidate says </s> although its row's constraint forbids it, for want of anything
/// else (rank_rows).
PHRASEQ_API bool is_last_resort(const Candidate& candidate,
                                const std::vector<StepConstraint>& constraints);

/// A hypothesis that breaks a constraint is taken only if its sentence has no other: drops the
/// last resorts among the candidates of a sentence's rows, unless there is nothing else, neither
/// among them nor finished before.
PHRASEQ_API void drop_last_resorts(const SearchState& state,
                                   std::vector<std::vector<Candidate>>& rows_of_sentence,
                                   const std::function<bool(const Candidate&)>& last_resort);

}  // namespace phraseq
