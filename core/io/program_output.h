#pragma once

#include <chrono>
#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// What a program printed and how it ended.
struct ProgramOutput {
  int exit_code = 0;  ///< 128 + the signal that ended it; 124 if it ran out of time
  std::string output;
  std::string errors;
};

/// How `program_output` runs a program.
struct ProgramSettings {
  /// Environment variables that the program does not inherit.
  std::span<const std::string> without;
  std::chrono::seconds limit = std::chrono::seconds(600);  ///< SIGKILL after this
};

/// Runs `program` (a path) with empty standard input until it ends. Throws IoError if it cannot be
/// started.
PHRASEQ_API ProgramOutput program_output(const std::string& program,
                                         std::span<const std::string> arguments,
                                         const ProgramSettings& settings = {});

}  // namespace phraseq
