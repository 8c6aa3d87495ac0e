#pragma once

#include <string>
#include <string_view>

#include "core/convert/pickle/pickle_input.h"

namespace phraseq {

/// The strings of protocol 0, as it writes them in a line of text. An escape sequence that is
/// damaged fails at the place of `input`.

/// Latin-1 with \uXXXX and \UXXXXXXXX.
std::string decode_raw_unicode(std::string_view text, const PickleInput& input);

/// Python's literal of a string, in quotation marks.
std::string decode_literal(std::string_view text, const PickleInput& input);

}  // namespace phraseq
