#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// The simplified form of the characters that numbers and dates are written with (萬 → 万), full
/// width digits as ASCII, ○ as 〇; any other character itself.
PHRASEQ_API char32_t plain_numeral(char32_t character);

/// 0 to 9, in ASCII.
bool is_arabic_digit(char32_t character);
/// 〇零一二两三 … 九; nothing for another character.
std::optional<int64_t> chinese_digit(char32_t character);
/// Arabic or Chinese digits, 十百千 and 万亿.
bool is_numeral(char32_t character);

/// A number in Chinese or Arabic digits, as 二〇〇三 or 2003: digits alone, place by place.
PHRASEQ_API std::optional<int64_t> digits_value(std::u32string_view text);

/// A number with Chinese units; all of the text.
///
///   number   = [million 亿] rest        below 10^16; 一万二千亿 is 1.2 * 10^12
///   million  = [section 万] rest
///   section  = up to 9999 in Chinese digits with 千百十, 零 where a place is left out
///
/// A factor of 万, 亿 or 千 may be written in Arabic digits or with a decimal point (1.77万亿,
/// 2万4801, 3万5千, 三点五亿). Nothing if the text is not such a number or can be read in two ways:
/// 三百五 (350 or a slip of 305), 一万五, 一亿五千, 三四百, 1.5万3千.
PHRASEQ_API std::optional<int64_t> chinese_number_value(std::u32string_view text);

/// 三点一四 or 三十点五 as "3.14", "30.5"; nothing for another text.
PHRASEQ_API std::optional<std::string> chinese_decimal(std::u32string_view text);

}  // namespace phraseq
