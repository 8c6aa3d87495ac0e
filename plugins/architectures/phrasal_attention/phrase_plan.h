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
  std::vector<int64_t> ngrams;  ///< homogeneous: heads of n = 1, 2, …; otherwise ascending lengths
  PhraseScale scale = PhraseScale::kWidthTimesLength;
  bool conv_bias = false;
  bool after_o = false;
  bool sees_next_phrase = false;  ///< interleaving's convolution also takes c_{i+1} (encoder)
  bool one_input = true;          ///< queries are made from the rows that keys are made from
  int64_t model = 0, key_model = 0, heads = 1;
  double dropout = 0.0;
};

/// A matrix [rows, width of its input], the taps of a kernel [taps, in, rows / taps] one after the
/// other. Only the matrix of a convolution may have a bias [rows / taps].
struct MapPlan {
  std::string name;
  int64_t rows = 0, taps = 1;
  bool bias = false;
};

/// The products of one module, and the layout by which attention reads them: adjacent keys and
/// values, then queries, in the same matrix or in their own.
struct PhrasePlan {
  explicit PhrasePlan(const PhraseOptions& options);

  std::vector<MapPlan> key_value_maps, query_maps;
  std::vector<int64_t> lengths;  ///< n of each kind of key, by its index
  nn::AttentionLayout layout;
};

}  // namespace phraseq::phrasal
