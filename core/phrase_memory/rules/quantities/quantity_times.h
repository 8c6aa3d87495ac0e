#pragma once

#include "core/phrase_memory/rules/quantities/quantities.h"
#include "core/phrase_memory/rules/quantities/quantity_tokens.h"

namespace phraseq {

/// Reads times of day: 8:30, 8.30 Uhr, 8 pm and, in English, half past eight, one forty-five.
void read_times(QuantityTokens& tokens, Quantities& found);

}  // namespace phraseq
