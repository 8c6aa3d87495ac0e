#include "core/search/decoders/last_resort.h"

#include "core/text/dictionary.h"

namespace phraseq {

bool is_last_resort(const Candidate& candidate, const std::vector<StepConstraint>& constraints) {
  const StepConstraint& constraint = constraints[static_cast<size_t>(candidate.row)];
  return ends(candidate) && !constraint.forces_token() && constraint.forbids(kEos);
}

void drop_last_resorts(const SearchState& state,
                       CandidateLists& rows_of_sentence,
                       const std::function<bool(const Candidate&)>& last_resort) {
  bool has_others = false;
  for (const auto& row : rows_of_sentence) {
    for (const Candidate& candidate : row) {
      const auto sentence = state.row_of(candidate).sentence;
      has_others = has_others || !last_resort(candidate) ||
                   !state.finished[static_cast<size_t>(sentence)].empty();
    }
  }
  if (!has_others)
    return;
  for (auto& row : rows_of_sentence) std::erase_if(row, last_resort);
}

}  // namespace phraseq
