#include "options.h"

namespace phraseq::chrf {

void ChrfOptions::describe(OptionTable& table) {
  table.field("chrf-char-order", char_order, "Longest character n-gram.").in(1, 100).harmless();
  table.field("chrf-word-order", word_order, "Longest word n-gram; 2 makes chrF++.")
      .in(0, 100)
      .harmless();
  table.field("chrf-beta", beta, "How many times more recall weighs than precision.")
      .in(0, 1000)
      .harmless();
  table.field("chrf-whitespace", whitespace, "Count white space as characters.").harmless();
  table.field("chrf-lowercase", lowercase, "Ignore case.").harmless();
  table
      .field("chrf-eps-smoothing",
             eps_smoothing,
             "Smooth as chrF++.py, NLTK and Moses do, not by effective order.")
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
