#pragma once

#include <cstdint>
#include <vector>

#include "core/corpus/phrases/stored_phrases.h"
#include "core/data/example.h"
#include "core/data/phrases/example_phrases.h"

namespace phraseq {

/// The stored phrases of a split as its examples hold them.
class IndexedPhrases {
 public:
  /// `encode` gives the target ids of an entry; asked once an entry.
  IndexedPhrases(StoredPhrases stored, const EncodePhrase& encode);

  const IndexedDataset& dataset() const { return stored_.slots(); }
  /// Those of an example with these ids. Throws FormatError when they are of another text.
  std::vector<ExamplePhrase> of(const Example& example) const;
  uint32_t fingerprint() const;

 private:
  StoredPhrases stored_;
  std::vector<std::vector<int64_t>> targets_;  ///< of each entry
};

}  // namespace phraseq
