#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/plugin/registry.h"
#include "core/score/metrics/metric.h"

namespace phraseq {

/// A plugin's metric: if it throws, the error names the plugin. The selection's component outlives
/// it.
class PHRASEQ_API NamedMetric final : public Metric {
 public:
  /// Makes the selected metric. Throws PluginError if its rows are empty.
  NamedMetric(const Selection& selection, const MetricSetup& setup);

  std::string name() const override;
  bool higher_is_better() const override;
  size_t statistics() const override { return statistics_; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  std::string detail(std::span<const double> sums) const override;
  std::vector<SignatureField> signature() const override;
  ResamplePrecision resample_precision() const override;
  double score_single(std::span<const float> sums) const override;

 private:
  const Component& component_;
  std::unique_ptr<Metric> metric_;
  size_t statistics_;
};

}  // namespace phraseq
