#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/score/significance/resampling.h"

namespace phraseq::score {

/// The seed of the random numbers, and its text in the signature.
struct Seed {
  uint64_t value = 12345;
  std::string label = "12345";
};

/// Parses a seed: a whole number, or "none" for one from the operating system. Throws a UsageError
/// for any other value of `name`. Unlike in sacrebleu, 0 is a seed like any other.
PHRASEQ_API Seed parse_seed(const std::string& text, std::string_view name = "--seed");

/// The middle 95 % of the resampled scores.
struct Interval {
  double mean = 0;
  double half_width = 0;
};

/// How a mean is computed: exactly and then rounded, as in Python's `statistics.mean`, which
/// sacrebleu uses for one system, or pairwise, as in NumPy's `mean`, which it uses in paired tests.
/// They differ in the last digits.
enum class Mean { kExact, kPairwise };

/// The mean of the scores, and half the width of the interval that remains when 1/40 of the scores
/// is cut off at either end. `single` computes in single precision, as NumPy does with
/// single-precision scores.
PHRASEQ_API Interval confidence_interval(const std::vector<double>& scores, bool single, Mean mean);

/// Two systems compared on the same resamples.
struct PairedBootstrap {
  Interval interval;  ///< of the system
  /// As in sacrebleu and Moses: the share of differences, minus their mean, that exceed the
  /// observed one.
  double p_value = 1;
  /// As in Koehn (2004): the share of resamples in which the better system is not better.
  double koehn_p_value = 1;
};

/// `baseline` and `system` must be from one call of `bootstrap`.
PHRASEQ_API PairedBootstrap paired_bootstrap(const Metric& metric,
                                             const BootstrappedScore& baseline,
                                             const BootstrappedScore& system);

/// The p-value of the paired approximate randomization test: (trials beyond the observed difference
/// + 1) / (trials + 1).
PHRASEQ_API double paired_randomization(const Metric& metric,
                                        const Statistics& baseline,
                                        const Statistics& system,
                                        const Draws& trials);

}  // namespace phraseq::score
