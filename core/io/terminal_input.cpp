#include "core/io/terminal_input.h"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace phraseq {

void announce_terminal_input(std::string_view what) {
  if (isatty(STDIN_FILENO) == 0)
    return;
  fmt::print(
      stderr, "Reading {} from the terminal; Ctrl-D on an empty line ends the input.\n", what);
  std::fflush(stderr);
}

}  // namespace phraseq
