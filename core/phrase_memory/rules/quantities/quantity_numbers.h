#pragma once

#include "core/phrase_memory/rules/quantities/quantities.h"
#include "core/phrase_memory/rules/quantities/quantity_tokens.h"

namespace phraseq {

/// Reads numbers: 17,000,000, 176 000, twenty-five, 3 thousand million.
void read_numbers(QuantityTokens& tokens, Quantities& found);

}  // namespace phraseq
