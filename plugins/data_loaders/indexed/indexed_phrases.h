#pragma once

#include <cstdint>
#include <vector>

#include "core/corpus/phrases/stored_phrases.h"
#include "core/data/example.h"
#include "core/data/phrases/example_phrases.h"

namespace phraseq {

/// The stored phrases of a split in the form that examples need.
class IndexedPhrases {
 public:
  /// `encode` returns the target ids of an entry; it is called once per entry.
  IndexedPhrases(StoredPhrases stored, const EncodePhrase& encode);

  const IndexedDataset& dataset() const { return stored_.slots(); }
  /// The phrases of an example. Throws FormatError if they belong to a different text.
  std::vector<ExamplePhrase> of(const Example& example) const;
  uint32_t fingerprint() const;

 private:
  StoredPhrases stored_;
  std::vector<std::vector<int64_t>> targets_;  ///< target ids of each entry
};

}  // namespace phraseq
