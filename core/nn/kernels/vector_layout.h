#pragma once

#include <cstdint>

namespace phraseq::nn {

/// The location of attention's vectors in a matrix with one row per token. Head h of its group
/// (from 0) reads columns from `column + h · head_dim` on. The vector of token t is `parts` pieces
/// of head_dim, one after the other; each piece is a sum over the `window` tokens that end at t,
/// tokens before the sentence counting as zero:
///
///   piece j of t = Σ_w x[t - (window-1-w) - part_lag · (parts-1-j),
///                        column + w · window_step + j · part_step]
///
/// For a convolution, `window` is its width, and the products of its taps are adjacent. For a key
/// that consists of a window of earlier keys, `parts` is the window's width, with part_lag 1 and
/// part_step 0.
struct VectorLayout {
  int64_t column = 0;
  int64_t parts = 1, part_step = 0, part_lag = 0;
  int64_t window = 1, window_step = 0;

  bool operator==(const VectorLayout&) const = default;
};

/// One kind of key with its values. Keys of tokens before `first` do not exist.
struct KeyKind {
  int64_t index = 0;  ///< its index in recorded weights, distinct within a group
  VectorLayout key, value;
  int64_t first = 0;
  double scale = 1.0;  ///< of scores
};

/// The maximum number of kinds of keys under one softmax.
inline constexpr int64_t kMaxKeyKinds = 16;

}  // namespace phraseq::nn
