#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// mteval-v14.pl's `--international-tokenization`: separates every symbol, and Unicode punctuation
/// unless it is between two numbers. Entities stay. A mark at either end of the line that touches a
/// number stays with it, because nothing pads the line.
PHRASEQ_API std::string tokenize_intl(std::string_view line);

}  // namespace phraseq::score
