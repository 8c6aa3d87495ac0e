#include "core/plugin/plugin.h"
#include "core/score/metrics/metric.h"
#include "core/score/report/evaluation.h"
#include "options.h"

namespace phraseq::score {
namespace {

/// A line for a log has two digits, as papers do.
constexpr ReportStyle kLogStyle = {.width = 2};

/// Any of the scorer's metrics behind the interface that validation calls.
class ValidationMetric : public Metric {
 public:
  explicit ValidationMetric(std::unique_ptr<CorpusMetric> metric)
      : higher_is_better_(metric->higher_is_better()) {
    metrics_.push_back(std::move(metric));
  }

  MetricScore score(const Lines& hypotheses, const std::vector<Lines>& references) const override {
    const Score result = score_system(metrics_, hypotheses, references, {}).front();
    return {result.name,
            result.value,
            format_text(result, kLogStyle),
            format_signature(result.signature, false),
            higher_is_better_};
  }

 private:
  bool higher_is_better_;
  Metrics metrics_;
};

struct BleuMetric final : ValidationMetric {
  BleuMetric(const BleuMetricOptions& options, const MetricSetup& setup)
      : ValidationMetric(std::make_unique<Bleu>(options.settings(setup.target_language))) {}
};

struct ChrfMetric final : ValidationMetric {
  ChrfMetric(const ChrfMetricOptions& options, const MetricSetup&)
      : ValidationMetric(std::make_unique<Chrf>(options.settings())) {}
};

struct TerMetric final : ValidationMetric {
  TerMetric(const TerMetricOptions& options, const MetricSetup&)
      : ValidationMetric(std::make_unique<Ter>(options.settings)) {}
};

void register_components(Registry& registry) {
  registry.add<Metric, BleuMetric, BleuMetricOptions>("bleu", "BLEU, equal to sacrebleu's.");
  registry.add<Metric, ChrfMetric, ChrfMetricOptions>("chrf",
                                                      "chrF and chrF++, equal to sacrebleu's.");
  registry.add<Metric, TerMetric, TerMetricOptions>("ter",
                                                    "Translation edit rate, equal to sacrebleu's.");
}

}  // namespace
}  // namespace phraseq::score

PHRASEQ_PLUGIN("metrics", "0.1.0", "BLEU, chrF and TER", phraseq::score::register_components)
