#pragma once

#include "core/phrase_memory/rules/quantities/quantities.h"
#include "core/phrase_memory/rules/quantities/quantity_tokens.h"

namespace phraseq {

/// Reads centuries in English: 19th century, 16th and 17th centuries, late 4th cent., the 1800s.
void read_centuries(QuantityTokens& tokens, Quantities& found);

}  // namespace phraseq
