#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// When standard input is a terminal, prints what is waited for to standard error; otherwise
/// nothing. `what`: "the source sentences, one per line".
PHRASEQ_API void announce_terminal_input(std::string_view what);

}  // namespace phraseq
