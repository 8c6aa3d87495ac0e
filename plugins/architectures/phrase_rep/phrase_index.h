#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/data/batch.h"

namespace phraseq::phrase_rep {

/// The phrases of a batch: phrases are runs of rows of the packed source, and sentences are runs of
/// phrases. All-pad phrases, as in the padded formulation, do not occur.
struct PhraseIndex {
  std::vector<int64_t> offsets;  ///< [phrases + 1] rows of the source at which phrases begin
  PackedTokens phrases;          ///< the sentences' phrases as rows; ids and positions undefined

  int64_t count() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t length(int64_t phrase) const {
    return offsets[static_cast<size_t>(phrase) + 1] - offsets[static_cast<size_t>(phrase)];
  }

  /// Reads the index from a batch's extras (see phrase_extension).
  static PhraseIndex of(const Batch& batch);
};

}  // namespace phraseq::phrase_rep
