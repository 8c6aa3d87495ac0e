#include "core/run/options/shortlist_options.h"

namespace phraseq {

void ShortlistOptions::describe(OptionTable& table) {
  table.section("Shortlist");
  table
      .field("shortlist",
             path,
             "Translate each sentence only with the probable translations of its words, from a "
             "file of `phraseq shortlist build` or Marian (lex.s2t), and the most frequent words.")
      .value_name("FILE");
  table
      .field("shortlist-best",
             size.best,
             "Number of translations of each source word, the most probable.")
      .in(1, 1e9);
  table
      .field("shortlist-frequent",
             size.frequent,
             "Number of entries of the target dictionary, from its beginning, that every sentence "
             "gets.")
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
