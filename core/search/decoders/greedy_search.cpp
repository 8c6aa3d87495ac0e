#include "core/search/decoders/greedy_search.h"

#include "core/search/row_ranking.h"
#include "core/search/search_state.h"

namespace phraseq {

std::vector<std::vector<Hypothesis>> greedy_search(SearchInput& input,
                                                   const SearchOptions& options) {
  SearchState state(input, options);
  while (!state.rows.empty()) {
    const SearchStep step = score_rows(state);
    const auto ranked = rank_rows(step, constrain_rows(state), 1, input.needs_scores());
    const auto candidates = row_candidates(state, ranked);
    std::vector<Candidate> survivors;
    for (const auto& of_row : candidates) {
      if (ends(of_row.front())) {
        finish(state, of_row.front());
      } else {
        survivors.push_back(of_row.front());
      }
    }
    advance(state, survivors);
  }
  return best_hypotheses(state, 1);
}

}  // namespace phraseq
