#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// Separates every Chinese character, then applies the punctuation rules.
///
/// "Chinese" is what sacrebleu's code takes for it, which is not what its author intended: two
/// ranges are written as "\u" and five digits, so U+2001-2A6D (dashes, curly quotes, arrows,
/// mathematics) counts, while Extension B and its supplement do not.
PHRASEQ_API std::string tokenize_zh(std::string_view line);

}  // namespace phraseq::score
