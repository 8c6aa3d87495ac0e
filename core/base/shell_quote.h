#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// `text` as one word of a command line in sh, bash, zsh or fish: as it is when no shell reads
/// anything into it, else in single quotes. A file name that begins with '-' gets "./" in front, so
/// that it is not read as a flag.
PHRASEQ_API std::string shell_quoted_path(std::string_view text);

}  // namespace phraseq
