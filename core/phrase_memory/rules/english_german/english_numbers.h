#pragma once

#include <optional>
#include <string>

#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// A number that begins at some word of an English sentence.
struct EnglishNumber {
  size_t length = 0;  ///< words
  std::string german;
  std::string rule;
  bool is_sure = false;  ///< false: what is there is not to be translated, not in parts either
};

/// 17 million → 17 Millionen, 1.5 Mio. → 1,5 Mio., 1,345 → 1.345, 2.5 % → 2,5.
///
/// Digits with one point are a version, a section or a time as often as a number. They are numbers
/// where a unit follows or a word stands in front that numbers follow.
std::optional<EnglishNumber> english_number_at(const WordContext& words, size_t begin);

}  // namespace phraseq
