#pragma once

#include <cstddef>
#include <optional>

#include "core/phrase_memory/rules/english_german/rule_reading.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// Friday; not Good Friday, Friday night, Sunday Times.
std::optional<RuleReading> english_weekday_at(const WordContext& words, size_t begin);

}  // namespace phraseq
