#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"

namespace phraseq::score {

/// Which metrics `phraseq score` and `phraseq compare` compute. The metrics' own options are
/// described by MetricSet.
struct PHRASEQ_API MetricOptions : Options {
  std::vector<std::string> metrics = {"bleu"};
  std::string language_pair;
  bool force = false;
  PluginOptions plugins;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The metrics that the arguments name, read before parsing because their options have to be
  /// described first. `table` has this struct's options.
  virtual std::vector<std::string> peek_metrics(OptionTable& table,
                                                std::span<const std::string> arguments) const;
  std::string target_language() const;
};

}  // namespace phraseq::score
