#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// Separates every Chinese character, then applies the punctuation rules.
///
/// The characters that count as Chinese are those that sacrebleu's code recognizes, which are not
/// the ones that its author intended: two ranges are written as "\u" and five digits, so
/// U+2001-2A6D (dashes, curly quotes, arrows, mathematics) counts, while Extension B and its
/// supplement do not count.
PHRASEQ_API std::string tokenize_zh(std::string_view line);

}  // namespace phraseq::score
