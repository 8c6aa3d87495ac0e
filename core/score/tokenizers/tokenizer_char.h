#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// Separates all characters.
PHRASEQ_API std::string tokenize_char(std::string_view line);

}  // namespace phraseq::score
