#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Words, digits with points, commas and colons between them, and single other characters.
PHRASEQ_API std::vector<std::string> plain_tokens(std::string_view given);

/// Whether the phrase's tokens occur in the text, one after the other.
PHRASEQ_API bool has_phrase(const std::vector<std::string>& text,
                            const std::vector<std::string>& phrase);

}  // namespace phraseq
