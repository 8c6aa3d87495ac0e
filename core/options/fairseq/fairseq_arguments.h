#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::fairseq {

/// A command line from which the flags that only fairseq has were removed.
struct Taken {
  std::vector<std::string> arguments;
  std::vector<std::string> notes;     ///< one for each flag that has no effect
  std::vector<std::string> problems;  ///< one for each flag that is rejected
};

/// Removes the flags of fairseq that `table` does not describe from `arguments`: flags without
/// effect are dropped, others are replaced by phraseq's options. `command`: "train", "generate" …;
/// other commands have no flags of fairseq.
PHRASEQ_API Taken take_flags(std::string_view command,
                             OptionTable& table,
                             std::span<const std::string> arguments);

}  // namespace phraseq::fairseq
