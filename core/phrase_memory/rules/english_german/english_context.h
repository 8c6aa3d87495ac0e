#pragma once

#include <cstddef>
#include <string_view>

#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

// The context of an English date, weekday or time: the words from `begin` up to but not including
// `end`.

/// Whether this word can follow a date in an English sentence. A number that counts things is
/// followed by other words.
bool may_follow_date(std::string_view word);

bool is_possessive(std::string_view word);

/// Whether it is part of a compound that German writes as one word: "the Thursday negotiations", "a
/// 9 am class".
bool has_noun_behind(const WordContext& words, size_t begin, size_t end);

/// Whether it is quoted, so that it stands for itself: print "Sunday".
bool is_mentioned(const WordContext& words, size_t begin, size_t end);

}  // namespace phraseq
