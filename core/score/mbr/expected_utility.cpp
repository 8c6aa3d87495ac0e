#include "core/score/mbr/expected_utility.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace phraseq::score {
namespace {

/// The distinct references, each with the sum of its weights.
std::map<std::string_view, double> weights_of_texts(std::span<const std::string> texts,
                                                    std::span<const double> weights) {
  std::map<std::string_view, double> sums;
  for (size_t i = 0; i < texts.size(); ++i) sums[texts[i]] += weights[i];
  return sums;
}

/// The utility without its last digits, in which equal utilities can differ because they were added
/// up in different orders.
double without_noise(double utility) {
  constexpr double kDigits = 1e9;
  return std::round(utility * kDigits) / kDigits;
}

}  // namespace

std::vector<double> mbr_weights(MbrWeights kind, std::span<const double> log_probabilities) {
  std::vector<double> weights(log_probabilities.size(), 1);
  if (kind == MbrWeights::kProbability && !weights.empty()) {
    const double best = *std::max_element(log_probabilities.begin(), log_probabilities.end());
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = std::exp(log_probabilities[i] - best);
  }
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> expected_utilities(const Metric& metric,
                                       std::span<const std::string> hypotheses,
                                       std::span<const double> weights) {
  const auto references = weights_of_texts(hypotheses, weights);
  const double sign = metric.higher_is_better() ? 1 : -1;
  std::map<std::string_view, double> known;
  std::vector<double> row(metric.statistics());
  std::vector<double> utilities;
  for (const std::string& hypothesis : hypotheses) {
    const auto [entry, is_new] = known.emplace(hypothesis, 0);
    if (is_new) {
      for (const auto& [reference, weight] : references) {
        std::fill(row.begin(), row.end(), 0);
        metric.measure(hypothesis, std::span(&reference, 1), row);
        entry->second += weight * sign * metric.score(row);
      }
    }
    utilities.push_back(without_noise(entry->second));
  }
  return utilities;
}

}  // namespace phraseq::score
