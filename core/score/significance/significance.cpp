#include "core/score/significance/significance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"

namespace phraseq::score {
namespace {

/// NumPy's pairwise summation, so that means agree to the last digit.
template <class Real>
Real pairwise_sum(std::span<const Real> values) {
  if (values.size() < 8) {
    Real sum = 0;
    for (const Real value : values) sum += value;
    return sum;
  }
  if (values.size() > 128) {
    const size_t half = values.size() / 2 - values.size() / 2 % 8;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
  }
  std::array<Real, 8> lanes{};
  const size_t whole = values.size() - values.size() % 8;
  for (size_t at = 0; at < whole; ++at) lanes[at % 8] += values[at];
  Real sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
             ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  for (size_t at = whole; at < values.size(); ++at) sum += values[at];
  return sum;
}

template <class Real>
Real exact_mean(const std::vector<Real>& values) {
  const auto sum = std::accumulate(values.begin(), values.end(), 0.0L);
  return static_cast<Real>(sum / static_cast<long double>(values.size()));
}

template <class Real>
Real pairwise_mean(const std::vector<Real>& values) {
  return pairwise_sum(std::span<const Real>(values)) / static_cast<Real>(values.size());
}

template <class Real>
Interval interval_of(const std::vector<double>& scores, Mean mean) {
  std::vector<Real> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = sorted.size() / 40;
  const Real spread = sorted[sorted.size() - cut - 1] - sorted[cut];
  return {mean == Mean::kExact ? exact_mean(sorted) : pairwise_mean(sorted), Real{0.5} * spread};
}

/// The p-value (c + 1) / (n + 1), where c of the n statistics exceed the observed difference.
template <class Real>
double p_value(const std::vector<Real>& statistics, double observed) {
  const auto limit = static_cast<Real>(observed);
  const auto beyond = std::count_if(
      statistics.begin(), statistics.end(), [&](Real value) { return value > limit; });
  return static_cast<double>(beyond + 1) / static_cast<double>(statistics.size() + 1);
}

/// The p-value from the differences, shifted so that their mean is zero, as under the null
/// hypothesis.
template <class Real>
double shifted_p_value(const std::vector<double>& baseline,
                       const std::vector<double>& system,
                       double observed) {
  std::vector<Real> differences(system.size());
  for (size_t at = 0; at < system.size(); ++at) {
    differences[at] = std::abs(static_cast<Real>(system[at]) - static_cast<Real>(baseline[at]));
  }
  const Real center = pairwise_mean(differences);
  for (auto& difference : differences) difference -= center;
  return p_value(differences, observed);
}

double koehn(const std::vector<double>& baseline,
             const std::vector<double>& system,
             double observed) {
  int64_t reversed = 0;
  for (size_t at = 0; at < system.size(); ++at) {
    if ((system[at] - baseline[at]) * observed <= 0)
      ++reversed;
  }
  return static_cast<double>(reversed) / static_cast<double>(system.size());
}

}  // namespace

Seed parse_seed(const std::string& text, std::string_view name) {
  if (text == "none" || text == "None") {
    std::random_device device;
    return {uint64_t{device()} << 32 | device(), "none"};
  }
  const auto seed = number_in<uint64_t>(text);
  if (!seed) {
    throw UsageError(fmt::format("{} '{}': expected a whole number from 0, or none", name, text));
  }
  return {*seed, text};
}

Interval confidence_interval(const std::vector<double>& scores, bool single, Mean mean) {
  return single ? interval_of<float>(scores, mean) : interval_of<double>(scores, mean);
}

PairedBootstrap paired_bootstrap(const Metric& metric,
                                 const BootstrappedScore& baseline,
                                 const BootstrappedScore& system) {
  const double difference = system.score - baseline.score;
  const double observed = std::abs(difference);
  const bool single = metric.resample_precision() == ResamplePrecision::kSingle;
  PairedBootstrap result;
  result.interval = confidence_interval(system.resampled, single, Mean::kPairwise);
  result.p_value = single ? shifted_p_value<float>(baseline.resampled, system.resampled, observed)
                          : shifted_p_value<double>(baseline.resampled, system.resampled, observed);
  result.koehn_p_value = koehn(baseline.resampled, system.resampled, difference);
  return result;
}

double paired_randomization(const Metric& metric,
                            const Statistics& baseline,
                            const Statistics& system,
                            const Draws& trials) {
  const double observed = std::abs(metric.score(baseline.sums()) - metric.score(system.sums()));
  return p_value(randomized_differences(metric, baseline, system, trials), observed);
}

}  // namespace phraseq::score
