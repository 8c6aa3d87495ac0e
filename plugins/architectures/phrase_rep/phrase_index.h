#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/data/batch.h"

namespace phraseq::phrase_rep {

/// Where the phrases of a batch are: phrases are runs of the packed source's rows, sentences runs
/// of phrases. What the padded formulation calls an all-pad phrase does not exist here.
struct PhraseIndex {
  std::vector<int64_t> offsets;  ///< [phrases + 1] rows of the source
  PackedTokens phrases;          ///< the sentences' phrases as rows; ids and positions undefined

  int64_t count() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t length(int64_t phrase) const {
    return offsets[static_cast<size_t>(phrase) + 1] - offsets[static_cast<size_t>(phrase)];
  }

  /// Reads it from a batch's extras (see phrase_extension).
  static PhraseIndex of(const Batch& batch);
};

}  // namespace phraseq::phrase_rep
