#pragma once

#include <optional>

#include "core/phrase_memory/rules/english_german/rule_reading.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// March 1 , 2003; March 1st; 3rd of March; 1 March 2003; May 1999; in May; Friday; 8:30 pm.
///
/// May and March are also words of other kinds: with a bare number, they need a year, an ordinal,
/// or a word before and a word after them that fit a date; alone, they need a preposition of time.
std::optional<RuleReading> english_date_at(const WordContext& words, size_t begin);

/// 1 to 12 for a month's full name; 0 for another word.
int64_t english_month(std::string_view word);

}  // namespace phraseq
