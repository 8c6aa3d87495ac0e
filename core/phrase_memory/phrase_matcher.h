#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// A phrase found in a sentence; positions are word indices, starting at 0.
struct PhraseOccurrence {
  int64_t begin = 0;
  int64_t length = 0;
  int64_t phrase = 0;  ///< the index of the phrase's entry

  int64_t end() const { return begin + length; }
  bool overlaps(const PhraseOccurrence& other) const {
    return begin < other.end() && other.begin < end();
  }
  bool operator==(const PhraseOccurrence&) const = default;
};

/// Finds phrases in sentences by their surface words, so words outside the vocabulary also match.
///
/// A trie over the words of all phrases: a sentence of n words takes at most n times as many
/// look-ups as the longest phrase has words, however many phrases there are.
class PHRASEQ_API PhraseMatcher {
 public:
  /// Phrases are numbered by their indices in `entries`; of two with the same words, the earlier
  /// one counts. The entries need not outlive the matcher.
  explicit PhraseMatcher(std::span<const PhraseEntry> entries);
  ~PhraseMatcher();
  PhraseMatcher(PhraseMatcher&&) noexcept;

  /// Every occurrence of every phrase, including nested and overlapping ones, from left to right;
  /// at the same place, the shorter one first.
  std::vector<PhraseOccurrence> find(std::span<const std::string> words) const;

 private:
  struct Trie;
  std::unique_ptr<const Trie> trie_;
};

}  // namespace phraseq
