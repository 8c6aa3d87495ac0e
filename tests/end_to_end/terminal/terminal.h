#pragma once

#include <string>
#include <string_view>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {

/// The result of a command at a terminal.
struct TerminalResult {
  int exit_code = 0;
  std::string output;    ///< of standard output, a file
  std::string terminal;  ///< of standard error, the terminal
};

/// Runs `phraseq ARGUMENTS` with a pseudo terminal, `columns` wide and without echo, as standard
/// input and standard error. `typed` is typed at the start; "\x04" is Ctrl-D.
TerminalResult run_at_terminal(const Workspace& workspace,
                               const Arguments& arguments,
                               std::string_view typed,
                               int columns = 200);

}  // namespace phraseq::end_to_end
