#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/unicode.h"

namespace phraseq {

/// Appends the pieces of a text, divided where they contain white space, as in fairseq's
/// dictionary: symbols contain none.
inline void append_symbols(const std::vector<std::string>& pieces,
                           std::vector<std::string>& symbols) {
  for (const std::string& piece : pieces) {
    for (const std::string_view part : split_whitespace(piece)) symbols.emplace_back(part);
  }
}

}  // namespace phraseq
