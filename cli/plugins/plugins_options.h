#pragma once

#include <string>
#include <vector>

#include "cli/plugins/trial_options.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"

namespace phraseq {

/// The options of `phraseq plugins`.
struct PluginsOptions final : Options {
  std::string action;
  std::string subject;
  std::string kind;
  bool presets = false;
  std::string output = "docs/options";
  PluginOptions plugins;
  TrialOptions trial;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  bool explains() const { return action == "explain" || action == "info"; }
};

}  // namespace phraseq
