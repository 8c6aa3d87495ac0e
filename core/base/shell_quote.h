#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// `text` as one word of a command line in sh, bash, zsh or fish: unchanged if it has no special
/// meaning to any of these shells, otherwise in single quotes.
PHRASEQ_API std::string shell_quoted(std::string_view text);

/// The same for the name of a file: one that begins with '-' is prefixed with "./" so that it is
/// not taken for a flag.
PHRASEQ_API std::string shell_quoted_path(std::string_view text);

}  // namespace phraseq
