#pragma once

#include <string>
#include <vector>

#include "core/score/metrics/metric.h"

/// The share of sentences that equal a reference. A place to begin: exchange the measure.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  void describe(phraseq::OptionTable&) override {}
};

/// 100 · (sentences that equal one of their references) / (sentences).
class ExactMatch final : public phraseq::Metric {
 public:
  ExactMatch(const Settings&, const phraseq::MetricSetup&) {}
  phraseq::MetricScore score(
      const std::vector<std::string>& hypotheses,
      const std::vector<std::vector<std::string>>& references) const override;
};

}  // namespace @name@_plugin
