#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/compare/comparison.h"
#include "core/score/metrics/metric_options.h"

namespace phraseq::score {

/// What `phraseq compare` is asked to do.
struct PHRASEQ_API CompareOptions : MetricOptions {
  CompareOptions() { metrics = {"bleu", "chrf", "chrf++", "ter"}; }

  std::vector<std::string> systems;
  std::vector<std::string> references;
  std::string source;
  std::vector<int64_t> bucket_edges = {15, 30, 45};
  std::string bucket_unit = "words";
  std::string bucket_metric = "bleu";
  int64_t samples = 1000;
  std::string seed = "12345";
  int64_t threads = 0;
  std::string format = "text";
  std::string output;
  std::string plot;
  std::string plot_kind = "bars";
  int64_t width = 1;
  bool no_color = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> peek_metrics(OptionTable& table,
                                        std::span<const std::string> arguments) const override;
};

}  // namespace phraseq::score
