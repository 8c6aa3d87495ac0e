#include "core/conformance/criterion/likelihood_checks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/conformance/fixtures/criterion_setting.h"

namespace phraseq::conformance {
namespace {

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

/// The one factor by which `value(sentence)` is larger than the likelihood, when it is the same for
/// all sentences: then it is that likelihood, in another unit.
template <class Value>
std::optional<double> common_factor(const CriterionSetting& setting, const Value& value) {
  std::optional<double> factor;
  for (size_t i = 0; i < setting.sentences(); ++i) {
    const double ratio = value(i) / setting.negative_log_likelihood(i);
    if (factor && !is_close(ratio, *factor))
      return std::nullopt;
    factor = ratio;
  }
  return factor;
}

/// What a factor means; empty for one that means nothing in particular.
std::string meaning_of(double factor) {
  if (is_close(factor, 1 / std::log(2.0)))
    return "it is in base 2 (bits): report natural logarithms, the core divides by ln 2 where bits "
           "are shown";
  if (is_close(factor, 1 / std::log(10.0)))
    return "it is in base 10: report natural logarithms";
  return {};
}

Findings natural_logarithms(const Selection& selection) {
  Findings findings;
  const CriterionSetting setting(selection);
  const auto nll = common_factor(
      setting, [&](size_t i) { return setting.loss_of_sentence(i, /*training=*/false).nll_sum; });
  if (nll && !is_close(*nll, 1)) {
    const std::string meaning = meaning_of(*nll);
    findings.push_back(fmt::format(
        "nll_sum is {:.6g} times the sum of -ln p(target token) in evaluation, for every sentence; "
        "{}",
        *nll,
        !meaning.empty()    ? meaning
        : is_close(*nll, 0) ? "set it: perplexities are computed from it"
                            : "report that sum itself: perplexities are computed from it"));
  }
  const auto loss = common_factor(
      setting, [&](size_t i) { return setting.loss_of_sentence(i, /*training=*/false).loss_sum; });
  if (loss && !meaning_of(*loss).empty())
    findings.push_back(fmt::format("loss_sum: {}", meaning_of(*loss)));
  return findings;
}

}  // namespace

std::vector<Check> likelihood_checks(const Selection& selection) {
  return {{"losses are in natural logarithms", [&] { return natural_logarithms(selection); }}};
}

}  // namespace phraseq::conformance
