#include "@name@.h"

#include <c10/core/InferenceMode.h>

#include "core/search/row_ranking.h"
#include "core/search/search_state.h"

namespace @name@_plugin {

using namespace phraseq;

std::vector<std::vector<Hypothesis>> Search::decode(const DecodingRequest& request) {
  const c10::InferenceMode no_gradients;
  constexpr int64_t kRows = 1;  // per sentence; a model may allocate its caches for them
  SearchInput input(request, options_, kRows);
  SearchState state(input, options_);
  while (!state.rows.empty()) {
    const DecodingStep step = score_rows(state);
    // The allowed tokens of each row, best first. Constraints include lengths, prefixes and slots.
    const auto candidates = row_candidates(state, rank_rows(step, constrain_rows(state), 1));
    std::vector<Candidate> survivors;
    for (const auto& of_row : candidates) {
      const Candidate& best = of_row.front();
      if (ends(best)) {
        finish(state, best);
      } else {
        survivors.push_back(best);
      }
    }
    advance(state, survivors);
  }
  return best_hypotheses(state, 1);
}

}  // namespace @name@_plugin
