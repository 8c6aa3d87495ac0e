#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/score/metrics/metric.h"

namespace phraseq::score {

/// How much each hypothesis of a list counts as a reference for the others.
enum class MbrWeights {
  kUniform,      ///< all equal: for samples, which are already distributed by probability
  kProbability,  ///< the model's probability, normalized over the list
};

inline constexpr EnumName<MbrWeights> kMbrWeightsNames[] = {
    {"uniform", MbrWeights::kUniform}, {"probability", MbrWeights::kProbability}};

/// The weights of the hypotheses, sum 1.
PHRASEQ_API std::vector<double> mbr_weights(MbrWeights kind,
                                            std::span<const double> log_probabilities);

/// The expected utility of each hypothesis (Kumar & Byrne 2004; Eikema & Aziz 2020, eq. 3), where
/// the whole list serves as references: U(h) = Σ_r weight(r) · metric(h, r). The metric scores
/// sentence by sentence; its score is negated where lower is better.
PHRASEQ_API std::vector<double> expected_utilities(const Metric& metric,
                                                   std::span<const std::string> hypotheses,
                                                   std::span<const double> weights);

}  // namespace phraseq::score
