#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/api.h"
#include "core/search/hypothesis.h"

namespace phraseq {

/// Aligns every target token with the source token that has the greatest attention weight, the
/// first one among equal weights. Returns pairs (source index, target index). Control symbols (<s>,
/// <pad>, </s>) are never aligned, and the indices, from 0, do not count them (fairseq's
/// extract_hard_alignment). Empty without attention or source tokens.
PHRASEQ_API std::vector<std::pair<int64_t, int64_t>> hard_alignment(
    const Hypothesis& hypothesis, std::span<const int64_t> source);

}  // namespace phraseq
