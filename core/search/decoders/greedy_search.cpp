#include "core/search/decoders/greedy_search.h"

#include "core/search/row_ranking.h"
#include "core/search/search_state.h"

namespace phraseq {

std::vector<std::vector<Hypothesis>> greedy_search(SearchInput& input,
                                                   const SearchOptions& options) {
  SearchState state(input, options);
  while (!state.rows.empty()) {
    const DecodingStep step = score_rows(state);
    const auto ranked = rank_rows(step, constrain_rows(state), 1, input.needs_scores());
    std::vector<Candidate> best;
    for (const auto& of_row : row_candidates(state, ranked)) best.push_back(of_row.front());
    advance(state, finish_ended(state, best));
  }
  return best_hypotheses(state, 1);
}

}  // namespace phraseq
