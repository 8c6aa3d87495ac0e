#pragma once

#include <optional>
#include <string>

#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// A date, time, month or weekday that begins at some word of a German sentence.
struct GermanDate {
  size_t length = 0;  ///< words
  std::string english;
  std::string rule;
  bool is_sure = false;  ///< false: what is there is not to be translated, not in parts either
};

/// 1. März 2003, 1. März, März 2003, im März, Freitag, 8.30 Uhr. The point of 1. may be a word.
std::optional<GermanDate> german_date_at(const WordContext& words, size_t begin);

/// 1 to 12 for a month's full name (Jänner, too); 0 for another word.
int64_t german_month(std::string_view word);

}  // namespace phraseq
