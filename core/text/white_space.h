#pragma once

#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The words of a valid UTF-8 line, split as Python's `str.split()` does, because fairseq does so.
///
/// White space is what `str.isspace` says: U+0009-000D, 001C-001F, 0020, 0085, 00A0, 1680,
/// 2000-200A, 2028, 2029, 202F, 205F, 3000. (Not Unicode's White_Space: 001C-001F are missing
/// there.)
PHRASEQ_API std::vector<std::string_view> split_white_space(std::string_view line);

}  // namespace phraseq
