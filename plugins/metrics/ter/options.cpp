#include "options.h"

namespace phraseq::ter {

void TerOptions::describe(OptionTable& table) {
  table.field("ter-case-sensitive", settings.case_sensitive, "Case-sensitive matching.").harmless();
  table
      .field("ter-asian-support",
             settings.asian_support,
             "With --ter-no-punct and --ter-normalized: also process Asian characters and "
             "punctuation.")
      .harmless();
  table.field("ter-no-punct", settings.no_punct, "Remove punctuation.").harmless();
  table.field("ter-normalized", settings.normalized, "Decode entities and split off punctuation.")
      .harmless();
}

}  // namespace phraseq::ter
