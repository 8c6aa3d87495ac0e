#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

enum class ShortlistAction { kNotGiven, kBuild };

inline constexpr EnumName<ShortlistAction> kShortlistActionNames[] = {
    {"build", ShortlistAction::kBuild}};

/// The options of `phraseq shortlist`.
struct PHRASEQ_API ShortlistCommandOptions final : Options {
  ShortlistAction action = ShortlistAction::kNotGiven;
  std::string source;
  std::string target;
  std::string alignment;
  std::string output;
  int64_t iterations = 5;
  int64_t best = 0;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq
