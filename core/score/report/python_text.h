#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// A number as Python's `repr` and `json` write it: the shortest text that reads back the same,
/// with a point or an exponent in it.
PHRASEQ_API std::string python_number(double value);

/// A string as Python's `json` writes it, including the quotes; `ascii` escapes everything that is
/// not ASCII.
PHRASEQ_API std::string json_string(std::string_view text, bool ascii);

}  // namespace phraseq::score
