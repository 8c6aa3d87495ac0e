#include "core/score/metrics/named_metric.h"

#include <cmath>

#include <fmt/format.h>

#include "core/plugin/component_call.h"

namespace phraseq {

NamedMetric::NamedMetric(const Selection& selection, const MetricSetup& setup)
    : component_(*selection.component),
      metric_(create<Metric>(selection, setup)),
      statistics_(call_component(component_, "statistics", [&] { return metric_->statistics(); })) {
  if (statistics_ == 0) {
    throw PluginError(
        fmt::format(
            "{}: the metric '{}' has rows of no statistics", component_.plugin, component_.name),
        "A row has statistics() numbers, at least 1.");
  }
}

std::string NamedMetric::name() const {
  return call_component(component_, "name", [&] { return metric_->name(); });
}

bool NamedMetric::higher_is_better() const {
  return call_component(
      component_, "higher_is_better", [&] { return metric_->higher_is_better(); });
}

void NamedMetric::measure(std::string_view hypothesis,
                          std::span<const std::string_view> references,
                          std::span<double> row) const {
  call_component(component_, "measure", [&] { metric_->measure(hypothesis, references, row); });
}

double NamedMetric::score(std::span<const double> sums) const {
  const double score = call_component(component_, "score", [&] { return metric_->score(sums); });
  if (!std::isfinite(score))
    throw component_failure(component_, "score", fmt::format("the score is {}", score));
  return score;
}

std::string NamedMetric::detail(std::span<const double> sums) const {
  return call_component(component_, "detail", [&] { return metric_->detail(sums); });
}

std::vector<SignatureField> NamedMetric::signature() const {
  return call_component(component_, "signature", [&] { return metric_->signature(); });
}

ResamplePrecision NamedMetric::resample_precision() const {
  return call_component(
      component_, "resample_precision", [&] { return metric_->resample_precision(); });
}

double NamedMetric::score_single(std::span<const float> sums) const {
  return call_component(component_, "score_single", [&] { return metric_->score_single(sums); });
}

}  // namespace phraseq
