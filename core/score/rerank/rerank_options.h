#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"
#include "core/score/rerank/noisy_channel.h"
#include "core/score/rerank/weight_tuning.h"

namespace phraseq::score {

/// The options of `phraseq rerank`, with the names of fairseq's rerank.py if it has them.
struct PHRASEQ_API RerankOptions : Options {
  std::string input;
  std::string write_pairs;
  std::string source;
  std::string forward_scores;
  std::string channel_scores;
  std::string lm_scores;
  RerankWeights weights;
  std::vector<std::string> tune;
  double lower_bound = -0.7;
  double upper_bound = 3;
  int64_t trials = 1000;
  std::string references;
  std::string metric = "bleu";
  std::string target_language;
  int64_t seed = 1;
  std::string output = "-";
  PluginOptions plugins;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The names of the input files.
  std::vector<std::string> files_read() const;
  /// The weights that --tune-param names.
  std::vector<TunedWeight> tuned() const;
};

/// Reads the lists and all scores.
PHRASEQ_API std::vector<RerankList> read_lists(const RerankOptions& options);

/// The weights from the options, or tuned weights, which are logged.
PHRASEQ_API RerankWeights choose_weights(const RerankOptions& options,
                                         const std::vector<RerankList>& lists,
                                         const Metric& metric);

}  // namespace phraseq::score
