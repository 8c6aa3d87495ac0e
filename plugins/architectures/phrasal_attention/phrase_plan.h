#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/functional/grouped_attention.h"
#include "plugins/architectures/phrasal_attention/options.h"

namespace phraseq::phrasal {

/// One attention module's part of the options. Attention that is not phrasal is homogeneous with
/// n = 1 for all heads, which is plain multi-head attention, with the same parameters.
struct PhraseOptions {
  static PhraseOptions of(const PhrasalAttentionOptions& options, Place place);

  PhraseType type = PhraseType::kHomogeneous;
  PhraseMethod method = PhraseMethod::kConvKv;
  std::vector<int64_t> ngrams;  ///< homogeneous: heads of n = 1, 2, …; else lengths, ascending
  PhraseScale scale = PhraseScale::kWidthTimesLength;
  bool conv_bias = false;
  bool after_o = false;
  bool sees_next_phrase = false;  ///< interleaving's convolution also takes c_{i+1} (encoder)
  bool one_input = true;          ///< queries are made from the rows that keys are made from
  int64_t model = 0, key_model = 0, heads = 1;
  double dropout = 0.0;
};

/// A matrix [rows, width of its input], the taps of a kernel [taps, in, rows / taps] one after the
/// other. Only that of a convolution may have a bias [rows / taps].
struct MapPlan {
  std::string name;
  int64_t rows = 0, taps = 1;
  bool bias = false;
};

/// What one module's products are and how attention reads them: keys and values side by side, then
/// (in one matrix with them or in their own) queries.
struct PhrasePlan {
  explicit PhrasePlan(const PhraseOptions& options);

  std::vector<MapPlan> key_value_maps, query_maps;
  std::vector<int64_t> lengths;  ///< n of each kind of key, by its index
  nn::AttentionLayout layout;
};

}  // namespace phraseq::phrasal
