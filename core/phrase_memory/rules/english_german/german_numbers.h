#pragma once

#include <optional>

#include "core/phrase_memory/rules/english_german/rule_reading.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {

/// 1.345,5 → 1,345.5; 3,5 → 3.5; 17 Millionen and 17 Mio. → 17 million, 2,5 Mrd. → 2.5 billion;
/// 24 Stunden → 24 hours. Lists, intervals, addresses, versions and Billionen are not sure.
std::optional<RuleReading> german_number_at(const WordContext& words, size_t begin);

}  // namespace phraseq
