#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// Every Chinese character apart, then the punctuation rules.
///
/// "Chinese" as sacrebleu has it, which is not what its author wrote: two ranges are given as "\u"
/// and five digits, so that U+2001-2A6D (dashes, curly quotes, arrows, mathematics) counts and
/// Extension B and its supplement do not.
PHRASEQ_API std::string tokenize_zh(std::string_view line);

}  // namespace phraseq::score
