#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/score/significance/statistics.h"

namespace phraseq::score {

/// The number of random variants of a test set, and how they are drawn.
struct Draws {
  int64_t count = 0;
  uint64_t seed = 0;  ///< of the random numbers
  int threads = 0;    ///< 0 = as many as the machine has; does not change the result
};

/// The score of a system, and its scores on bootstrap resamples of the test set, which have the
/// same number of sentences, drawn with replacement.
struct BootstrappedScore {
  double score = 0;
  std::vector<double> resampled;
};

/// Resamples the test set, in the same way for every system, so that the scores can be paired. The
/// resamples depend only on the seed and the number of sentences; sums are in the metric's
/// `resample_precision`. Throws DataError if the systems differ in length.
PHRASEQ_API std::vector<BootstrappedScore> bootstrap(const Metric& metric,
                                                     std::span<const Statistics> systems,
                                                     const Draws& draws);

/// |score(A') - score(B')| for `trials.count` pairs of pseudo-systems in which each sentence of the
/// two systems is swapped with probability one half (Riezler & Maxwell 2005).
PHRASEQ_API std::vector<double> randomized_differences(const Metric& metric,
                                                       const Statistics& first,
                                                       const Statistics& second,
                                                       const Draws& trials);

}  // namespace phraseq::score
