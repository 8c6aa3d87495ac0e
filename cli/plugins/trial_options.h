#pragma once

#include <string>
#include <vector>

#include "core/options/option_table.h"

namespace phraseq {

/// What the components of a plugin are checked with.
struct TrialOptions final : Options {
  std::vector<std::string> set;                              ///< NAME=VALUE of their options
  std::string data, split, source_lang, target_lang, model;  ///< empty = the check's own

  void describe(OptionTable& table) override;
  /// The same options as arguments of another command that has them.
  std::vector<std::string> arguments() const;
};

}  // namespace phraseq
