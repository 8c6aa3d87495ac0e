#pragma once

#include "core/phrase_memory/rules/quantities/quantities.h"
#include "core/phrase_memory/rules/quantities/quantity_tokens.h"

namespace phraseq {

/// Reads dates: 2003-03-01, 1/3/2003, 26.12., March 1st, 2003, June to August 2010.
void read_dates(QuantityTokens& tokens, Quantities& found);

}  // namespace phraseq
