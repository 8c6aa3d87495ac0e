#pragma once

#include <string>

#include "core/score/metrics/metric.h"

/// The share of sentences that equal a reference. A starting point: replace the measure.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  bool ignore_case = false;

  void describe(phraseq::OptionTable& table) override {
    table.field("@flag@-ignore-case", ignore_case, "Case-insensitive matching.").harmless();
  }
};

/// 100 · (sentences that equal one of their references) / (sentences).
class ExactMatch final : public phraseq::Metric {
 public:
  ExactMatch(const Settings& settings, const phraseq::MetricSetup&) : settings_(settings) {}

  std::string name() const override { return "@name@"; }
  /// Equal sentences, sentences.
  size_t statistics() const override { return 2; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  std::string detail(std::span<const double> sums) const override;
  std::vector<phraseq::SignatureField> signature() const override;

 private:
  std::string prepare(std::string_view text) const;

  Settings settings_;
};

}  // namespace @name@_plugin
