#include "options.h"

namespace phraseq::chrf {

void ChrfOptions::describe(OptionTable& table) {
  table.field("chrf-char-order", char_order, "Character n-gram order.").in(1, 100).harmless();
  table.field("chrf-word-order", word_order, "Word n-gram order; 2 gives chrF++.")
      .in(0, 100)
      .harmless();
  table.field("chrf-beta", beta, "Importance of recall relative to precision.")
      .in(0, 1000)
      .harmless();
  table.field("chrf-whitespace", whitespace, "Include whitespace in character n-grams.").harmless();
  table.field("chrf-lowercase", lowercase, "Case-insensitive matching.").harmless();
  table
      .field("chrf-eps-smoothing",
             eps_smoothing,
             "Epsilon smoothing, as in chrF++.py, NLTK and Moses, instead of effective order "
             "smoothing.")
      .harmless();
}

score::ChrfSettings ChrfOptions::settings() const {
  return {static_cast<int>(char_order),
          static_cast<int>(word_order),
          static_cast<int>(beta),
          lowercase,
          whitespace,
          eps_smoothing};
}

}  // namespace phraseq::chrf
