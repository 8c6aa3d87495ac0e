#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/score/significance/statistics.h"

namespace phraseq::score {

/// How many random variants of a test set are made.
struct Draws {
  int64_t count = 0;
  uint64_t seed = 0;  ///< of the random numbers
  int threads = 0;    ///< 0 = as many as the machine has; does not change the result
};

/// The score of a system, and those of bootstrap resamples of the test set: as many sentences,
/// drawn with replacement.
struct BootstrappedScore {
  double score = 0;
  std::vector<double> resampled;
};

/// Resamples that are the same for every system, so that they can be paired. They depend only on
/// the seed and the number of sentences; sums are in the metric's `resample_precision`. Throws
/// DataError when systems differ in length.
PHRASEQ_API std::vector<BootstrappedScore> bootstrap(const Metric& metric,
                                                     std::span<const Statistics> systems,
                                                     const Draws& draws);

/// |score(A') - score(B')| for `trials.count` pairs of pseudo-systems that swap each sentence of
/// the two with probability one half (Riezler & Maxwell 2005).
PHRASEQ_API std::vector<double> randomized_differences(const Metric& metric,
                                                       const Statistics& first,
                                                       const Statistics& second,
                                                       const Draws& trials);

}  // namespace phraseq::score
