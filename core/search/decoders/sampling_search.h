#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/functional/log_softmax_top_k.h"
#include "core/search/hypothesis.h"
#include "core/search/search_input.h"
#include "core/search/search_options.h"

namespace phraseq {

/// How a token is drawn from a row's probabilities.
struct SamplingSettings {
  int64_t top_k = -1;   ///< only the k most probable, unless there is a top p; -1 = all
  double top_p = -1;    ///< only the most probable up to this mass, at least one; -1 = all
  int64_t samples = 1;  ///< translations of each sentence
  uint64_t seed = 1;
};

/// Draws `samples` translations of each sentence, sorted by score.
///
/// A draw is a function of (seed, sentence id, sample, step) and the row's probabilities: it does
/// not depend on the rest of the batch. Token scores are log-probabilities at the temperature,
/// before the restriction to the most probable.
PHRASEQ_API std::vector<std::vector<Hypothesis>> sampling_search(SearchInput& input,
                                                                 const SearchOptions& options,
                                                                 const SamplingSettings& settings);

/// Returns the index in `ranked` (best first, not empty) at which `point` in [0, 1) falls within
/// the probability mass, restricted to the settings' top k or top p and renormalized. The mass of
/// the top p is that of the model, even if constraints forbid some of it.
PHRASEQ_API size_t draw_place(std::span<const RankedColumn> ranked,
                              const SamplingSettings& settings,
                              double point);

}  // namespace phraseq
