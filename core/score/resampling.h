#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/score/statistics.h"

namespace phraseq::score {

/// Scores of `samples` bootstrap resamples of the test set: as many sentences, drawn with
/// replacement.
///
/// The same seed and number of sentences draw the same sentences, so that two systems can be
/// paired. Sums are in single precision, as sacrebleu's are. `threads` does not change the result.
PHRASEQ_API std::vector<double> bootstrap_scores(const CorpusMetric& metric,
                                                 const Statistics& statistics,
                                                 int64_t samples,
                                                 uint64_t seed,
                                                 int threads);

/// |score(A') - score(B')| for `trials` pairs of pseudo-systems that swap each sentence of the two
/// with probability one half (Riezler & Maxwell 2005).
PHRASEQ_API std::vector<double> randomized_differences(const CorpusMetric& metric,
                                                       const Statistics& first,
                                                       const Statistics& second,
                                                       int64_t trials,
                                                       uint64_t seed,
                                                       int threads);

}  // namespace phraseq::score
