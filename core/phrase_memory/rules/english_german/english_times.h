#pragma once

#include <cstddef>
#include <optional>

#include "core/phrase_memory/rules/english_german/rule_reading.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// 8 am → 8 Uhr, 10.30 am → 10.30 Uhr, 8:30 pm → 20:30 Uhr; the mark stays.
std::optional<RuleReading> english_time_at(const WordContext& words, size_t begin);

}  // namespace phraseq
