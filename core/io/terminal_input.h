#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// If standard input is a terminal, prints to standard error what input is expected; otherwise does
/// nothing. `what`: "the source sentences, one per line".
PHRASEQ_API void announce_terminal_input(std::string_view what);

}  // namespace phraseq
