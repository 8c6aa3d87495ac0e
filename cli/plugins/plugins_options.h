#pragma once

#include <string>
#include <vector>

#include "core/options/option_table.h"

namespace phraseq {

/// The options of `phraseq plugins`.
struct PluginsOptions final : Options {
  std::string action;
  std::string subject;
  std::string kind;
  bool presets = false;
  std::string output = "docs/options";
  std::vector<std::string> plugin_dir;
  std::vector<std::string> set;
  std::string data, split, source_lang, target_lang, model;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  bool explains() const { return action == "explain" || action == "info"; }
};

}  // namespace phraseq
