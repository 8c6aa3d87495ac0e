#include "core/io/terminal_input.h"

#include <unistd.h>

#include <fmt/format.h>

#include "core/io/standard_streams.h"

namespace phraseq {

void announce_terminal_input(std::string_view what) {
  if (isatty(STDIN_FILENO) == 0)
    return;
  write_to_standard_error(
      fmt::format("Reading {} from the terminal; Ctrl-D on an empty line ends the input.\n", what));
}

}  // namespace phraseq
