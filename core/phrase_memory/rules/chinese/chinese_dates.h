#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/phrase_memory/rules/chinese/chinese_text.h"

namespace phraseq {

/// A date, a time, a decade or a century at some place in a text.
struct ChineseDate {
  size_t end = 0;  ///< after its last character
  std::string english;
  std::string rule;
  bool is_sure = false;  ///< false: what is there is not to be translated, not in parts either
};

/// `begin` is the first character of a numeral that ends before `end`. Nothing if what follows does
/// not make it a date or a time.
///
/// 二〇〇三年三月一日 and its parts year and month, month and day, year, month; 20世纪90年代 →
/// 1990s; 二十一世纪 → 21st century; 八点三十分 → 8:30.
std::optional<ChineseDate> chinese_date_at(const ChineseText& text, size_t begin, size_t end);

/// The position after the last character of the numeral that begins at `begin`. Digits of different
/// words are different numerals; a point or comma between digits of a word belongs to one.
size_t numeral_end(const ChineseText& text, size_t begin);

}  // namespace phraseq
