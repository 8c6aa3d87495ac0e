#pragma once

#include <cstdint>

#include "core/nn/kernels/always_inline.h"

/// Counter-based random bits for dropout: a mask is a function of a key and an element's number, so
/// the backward pass recomputes it and nothing is stored.
namespace phraseq::nn::kernels {

/// Returns 32 bits for an element: two multiply-xorshift rounds (constants of C. Wellons'
/// lowbias32), with one half of the key before each. Elements 2^32 apart share bits.
PHRASEQ_INLINE uint32_t random_bits(uint64_t key, uint32_t element) {
  uint32_t x = element ^ static_cast<uint32_t>(key);
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= (x >> 15) ^ static_cast<uint32_t>(key >> 32);
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

/// Returns p · 2^32: an element is dropped if its bits are below it.
PHRASEQ_INLINE uint32_t dropout_threshold(double p) {
  const double scaled = p * 0x1.0p32;
  return scaled >= 0x1.0p32 ? UINT32_MAX : static_cast<uint32_t>(scaled);
}

/// An odd number near 2^32 divided by the golden ratio: multiples of it spread the rows of
/// attention weights over all element numbers.
inline constexpr uint32_t kRowSpread = 0x9e3779b1U;

/// Returns the number of the first element in a row of attention weights; j is added for column j.
PHRASEQ_INLINE uint32_t attention_row_element(int64_t query_row, int64_t heads, int64_t head) {
  return static_cast<uint32_t>(query_row * heads + head) * kRowSpread;
}

}  // namespace phraseq::nn::kernels
