#pragma once

#include <optional>

#include "core/phrase_memory/rules/english_german/rule_reading.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// 1. März 2003, 1. März, März 2003, im März, Freitag, 8.30 Uhr. The point of 1. may be a word.
std::optional<RuleReading> german_date_at(const WordContext& words, size_t begin);

}  // namespace phraseq
