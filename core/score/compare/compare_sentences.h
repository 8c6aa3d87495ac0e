#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// Scores every sentence with `metric`, which is made for single sentences, and selects up to
/// `most` with the largest gains and the same number with the largest losses for every system after
/// the first. Equal gains are in the order of the text. `source` may be null.
PHRASEQ_API std::vector<SentenceDifferences> compare_sentences(
    const Metric& metric, const ScoreInput& input, const Lines* source, size_t most, int threads);

}  // namespace phraseq::score
