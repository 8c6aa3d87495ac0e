// Can be loaded, but describes an option that the command which uses it has, too.
#include "core/plugin/plugin.h"
#include "core/score/metrics/metric.h"

namespace {

struct ClashingOptions final : phraseq::Options {
  double confidence = 0.5;
  void describe(phraseq::OptionTable& table) override {
    table.field("confidence", confidence, "How sure the metric is.");
  }
};

struct Clashing final : phraseq::Metric {
  Clashing(const ClashingOptions&, const phraseq::MetricSetup&) {}
  std::string name() const override { return "clashing"; }
  size_t statistics() const override { return 1; }
  void measure(std::string_view,
               std::span<const std::string_view>,
               std::span<double> row) const override {
    row[0] = 1;
  }
  double score(std::span<const double>) const override { return 1; }
};

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Metric, Clashing, ClashingOptions>("clashing", "An option of score");
}

}  // namespace

PHRASEQ_PLUGIN("clashing", "1.0", "Clashing", register_components)
