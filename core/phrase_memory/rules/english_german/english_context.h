#pragma once

#include <cstddef>
#include <string_view>

#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

// What stands around an English date, weekday or time, the words from `begin` to before `end`.

/// Whether an English sentence goes on with this word behind a date; behind a number that counts,
/// it goes on with another one.
bool may_follow_date(std::string_view word);

bool is_possessive(std::string_view word);

/// Whether it is a word of a compound that German writes as one: "the Thursday negotiations",
/// "a 9 am class".
bool has_noun_behind(const WordContext& words, size_t begin, size_t end);

/// Whether it is quoted, so that it stands for itself: print "Sunday".
bool is_mentioned(const WordContext& words, size_t begin, size_t end);

}  // namespace phraseq
