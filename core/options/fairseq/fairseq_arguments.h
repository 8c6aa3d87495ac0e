#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::fairseq {

/// A command line in which phraseq's options replace the flags that only fairseq has.
struct ConvertedArguments {
  std::vector<std::string> arguments;
  std::vector<std::string> notes;     ///< one for each flag that has no effect
  std::vector<std::string> problems;  ///< one for each flag that is rejected
};

/// Converts the flags of fairseq that `table` does not describe: flags without effect are dropped,
/// others are replaced by phraseq's options. `command`: "train", "generate" …; other commands have
/// no flags of fairseq.
PHRASEQ_API ConvertedArguments convert_flags(std::string_view command,
                                             OptionTable& table,
                                             std::span<const std::string> arguments);

}  // namespace phraseq::fairseq
