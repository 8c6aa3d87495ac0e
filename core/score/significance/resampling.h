#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/score/significance/statistics.h"

namespace phraseq::score {

/// The score of a system, and those of bootstrap resamples of the test set: as many sentences,
/// drawn with replacement.
struct BootstrappedScore {
  double score = 0;
  std::vector<double> resampled;
};

/// `samples` resamples, the same ones for every system, so that they can be paired. The draws
/// depend only on the seed and the number of sentences; sums are in the metric's
/// `resample_precision`. `threads` does not change the result. Throws DataError when systems differ
/// in length.
PHRASEQ_API std::vector<BootstrappedScore> bootstrap(const Metric& metric,
                                                     std::span<const Statistics> systems,
                                                     int64_t samples,
                                                     uint64_t seed,
                                                     int threads);

/// |score(A') - score(B')| for `trials` pairs of pseudo-systems that swap each sentence of the two
/// with probability one half (Riezler & Maxwell 2005).
PHRASEQ_API std::vector<double> randomized_differences(const Metric& metric,
                                                       const Statistics& first,
                                                       const Statistics& second,
                                                       int64_t trials,
                                                       uint64_t seed,
                                                       int threads);

}  // namespace phraseq::score
