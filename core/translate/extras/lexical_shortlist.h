#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// How many target words a sentence may use.
struct ShortlistSize {
  int64_t best = 100;      ///< most probable translations of each source word
  int64_t frequent = 100;  ///< first entries of the target dictionary, for all sentences
};

/// The target words that may be used to translate a sentence: the most probable translations of its
/// words according to a lexical table, the most frequent words, and </s> and <unk>; if both
/// languages have the same dictionary, also the words of the sentence itself, as in Marian. They
/// depend only on the sentence, not on the rest of its batch.
class PHRASEQ_API LexicalShortlist {
 public:
  /// Reads a table in Marian's text format. Pairs with a word that the dictionaries do not have are
  /// omitted; throws DataError if none remain.
  static LexicalShortlist read(const std::string& path,
                               const Dictionary& source,
                               const Dictionary& target,
                               const ShortlistSize& size);

  /// Returns the ids of the target words for the ids of a source sentence, sorted and distinct.
  std::vector<int64_t> candidates(std::span<const int64_t> source) const;

 private:
  std::vector<std::vector<int64_t>> translations_;  ///< by source id, sorted
  std::vector<int64_t> always_;
  bool copies_source_ = false;
};

}  // namespace phraseq
