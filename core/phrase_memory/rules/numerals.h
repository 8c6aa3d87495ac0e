#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A number in Chinese or Arabic digits, as 二〇〇三, 2003 or ２００３: digits alone, place by
/// place.
PHRASEQ_API std::optional<int64_t> digits_value(std::u32string_view text);

/// A number with Chinese units, as 一千七百万, 三十五, 1700万 or 1.7亿. Nothing when it is no such
/// number, or an ambiguous one (三百五 can be 350 or a slip of 305).
PHRASEQ_API std::optional<int64_t> chinese_number_value(std::u32string_view text);

/// 12,345; from a million on in words when at most one digit follows the point: 17 million,
/// 1.2 billion.
PHRASEQ_API std::string english_number(int64_t value);

/// A number in English notation, 1,345.5, in German notation, 1.345,5. Nothing unless it has a
/// group mark or a decimal point, all in their places.
PHRASEQ_API std::optional<std::string> german_number(std::string_view text);

}  // namespace phraseq
