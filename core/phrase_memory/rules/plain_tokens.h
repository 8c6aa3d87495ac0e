#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/base/text_fields.h"

namespace phraseq {

/// Whether a byte of UTF-8 is an ASCII letter or part of a character outside of ASCII.
inline bool is_letter_byte(char one) {
  return is_ascii_letter(one) || static_cast<unsigned char>(one) >= 0x80;
}

/// Words, digits with points, commas and colons between them, and single other characters.
PHRASEQ_API std::vector<std::string> plain_tokens(std::string_view given);

/// Whether the phrase's tokens occur in the text, one after the other.
PHRASEQ_API bool has_phrase(const std::vector<std::string>& text,
                            const std::vector<std::string>& phrase);

}  // namespace phraseq
