#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/data/batch.h"

namespace phraseq::bench {

/// The shape of a batch of generated sentences.
struct BatchShape {
  int64_t tokens = 0;      ///< on each side, rounded up to whole sentences
  int64_t length = 0;      ///< of every sentence
  int64_t vocabulary = 0;  ///< symbols, the special ones included
};

inline std::vector<int64_t> random_sentence(const BatchShape& shape, Random& random) {
  constexpr int64_t kSpecial = 4;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < shape.length; ++i) {
    const auto symbols = static_cast<uint64_t>(shape.vocabulary - kSpecial);
    ids.push_back(kSpecial + static_cast<int64_t>(random.below(symbols)));
  }
  return ids;
}

inline PackedTokens random_sentences(const BatchShape& shape, Random& random) {
  std::vector<std::vector<int64_t>> sentences;
  for (int64_t total = 0; total < shape.tokens; total += shape.length)
    sentences.push_back(random_sentence(shape, random));
  return PackedTokens::pack(sentences);
}

/// Sentences without any structure, for measurements in which only sizes matter.
inline Batch random_batch(const BatchShape& shape, Random& random) {
  Batch batch;
  batch.source = random_sentences(shape, random);
  batch.target_in = random_sentences(shape, random);
  batch.target_out = batch.target_in.ids;
  return batch;
}

}  // namespace phraseq::bench
