#pragma once

#include <optional>

#include "core/phrase_memory/rules/english_german/rule_reading.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// 17 million → 17 Millionen, 1.5 Mio. → 1,5 Mio., 1,345 → 1.345, 2.5 % → 2,5.
///
/// Digits with one point are a version, a section or a time as often as a number. They are numbers
/// if a unit follows or if they follow a word that precedes numbers.
std::optional<RuleReading> english_number_at(const WordContext& words, size_t begin);

}  // namespace phraseq
