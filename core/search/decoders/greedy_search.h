#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/search/hypothesis.h"
#include "core/search/search_input.h"
#include "core/search/search_options.h"

namespace phraseq {

/// Takes the best continuation in every step, until </s>. Equals beam search with a beam of 1.
PHRASEQ_API std::vector<std::vector<Hypothesis>> greedy_search(SearchInput& input,
                                                               const SearchOptions& options);

}  // namespace phraseq
