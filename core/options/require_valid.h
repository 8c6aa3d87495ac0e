#pragma once

#include <string>

#include "core/base/error.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Throws UsageError with all problems of the options, unless there are none. For constructors,
/// because their options may not come from a command line.
inline void require_valid(const Options& options) {
  std::string message;
  for (const std::string& problem : options.problems()) {
    if (!message.empty())
      message += "; ";
    message += problem;
  }
  if (!message.empty())
    throw UsageError(message);
}

}  // namespace phraseq
