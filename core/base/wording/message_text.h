#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A message in a form that a person can read. A line of more than 1,000 bytes, which quotes some
/// input, is reduced to its beginning and its end; of more than 200 lines, only the first ones are
/// kept. Control characters and invalid UTF-8 become escapes (\x1B).
PHRASEQ_API std::string shortened_message(std::string_view message);

/// A piece of input for a message: at most 200 bytes of it, on one line.
PHRASEQ_API std::string excerpt(std::string_view input);

/// `text` on one line: every character that some program takes for a line's end (line feed,
/// carriage return, vertical tab, form feed, U+001C to U+001E, U+0085, U+2028, U+2029) becomes a
/// space.
PHRASEQ_API std::string on_one_line(std::string_view text);

}  // namespace phraseq
