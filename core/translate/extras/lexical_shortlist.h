#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// How many target words a sentence gets.
struct ShortlistSize {
  int64_t best = 100;      ///< translations of each source word, the most probable
  int64_t frequent = 100;  ///< first entries of the target dictionary, for all sentences
};

/// The target words that a sentence may be translated with: the most probable translations of its
/// words by a lexical table, the most frequent words, and </s> and <unk>; with a dictionary for
/// both languages also the words of the sentence themselves, which Marian does, too. A function of
/// the sentence alone: what else is in its batch does not matter.
class PHRASEQ_API LexicalShortlist {
 public:
  /// Reads a table in Marian's text format. Pairs with a word that the dictionaries do not have are
  /// omitted; DataError when that leaves none.
  static LexicalShortlist read(const std::string& path,
                               const Dictionary& source,
                               const Dictionary& target,
                               const ShortlistSize& size);

  /// Ids of target words, sorted, each once, for the ids of a source sentence.
  std::vector<int64_t> candidates(std::span<const int64_t> source) const;

 private:
  std::vector<std::vector<int64_t>> translations_;  ///< by source id, sorted
  std::vector<int64_t> always_;
  bool copies_source_ = false;
};

}  // namespace phraseq
