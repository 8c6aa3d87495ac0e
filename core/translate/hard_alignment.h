#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/api.h"
#include "core/search/hypothesis.h"

namespace phraseq {

/// (source place, target place) for every target token but the specials: the source token with the
/// greatest attention weight, the first of equals. Places count the tokens that are not <s>, <pad>
/// or </s>, from 0; those are no answer either (fairseq's extract_hard_alignment). Empty without
/// attention or source tokens.
PHRASEQ_API std::vector<std::pair<int64_t, int64_t>> hard_alignment(
    const Hypothesis& hypothesis, std::span<const int64_t> source);

/// Whether an id stands for no word: <s>, <pad>, </s>.
PHRASEQ_API bool is_control(int64_t id);

}  // namespace phraseq
