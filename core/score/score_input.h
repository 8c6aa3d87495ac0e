#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// The lines of a system's output or of a reference, as sacrebleu reads files: split at '\n' only,
/// all trailing white space gone (so CRLF does no harm); a CR or a TAB within a line is white
/// space, a byte-order mark is text. Files may be gzipped; "-" is standard input, read by the same
/// rule.
///
/// Throws IoError when the file cannot be read (or its gzip data end early), DataError with file,
/// line and byte for invalid UTF-8.
PHRASEQ_API std::vector<std::string> read_score_lines(const std::string& path);

}  // namespace phraseq::score
