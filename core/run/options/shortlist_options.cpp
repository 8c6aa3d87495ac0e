#include "core/run/options/shortlist_options.h"

namespace phraseq {

void ShortlistOptions::describe(OptionTable& table) {
  table.section("Shortlist");
  table
      .field(
          "shortlist",
          path,
          "Translate each sentence only with the probable translations of its words and with the "
          "most frequent words. FILE is made by `phraseq shortlist build` or Marian (lex.s2t).")
      .value_name("FILE");
  table
      .field("shortlist-best",
             size.best,
             "Number of the most probable translations to use for each source word.")
      .in(1, 1e9);
  table
      .field("shortlist-frequent",
             size.frequent,
             "Number of entries at the beginning of the target dictionary that are available in "
             "every sentence.")
      .in(0, 1e9);
}

std::shared_ptr<const LexicalShortlist> ShortlistOptions::read(const Dictionary& source,
                                                               const Dictionary& target) const {
  if (path.empty())
    return nullptr;
  return std::make_shared<const LexicalShortlist>(
      LexicalShortlist::read(path, source, target, size));
}

}  // namespace phraseq
