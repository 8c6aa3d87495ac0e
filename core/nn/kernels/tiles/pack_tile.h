#pragma once

#include <cstdint>
#include <immintrin.h>

#include "core/nn/kernels/always_inline.h"

/// The arrangement of bf16 numbers for the tile registers of AMX.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// A tile has 16 lines (rows of a, or columns of b) of 32 numbers of depth: 16 pairs.
constexpr int64_t kSide = 16, kStep = 32, kTileNumbers = kSide * kStep;
/// Lines that are packed together, into two tiles.
constexpr int64_t kBlock = 2 * kSide;

typedef uint16_t Numbers __attribute__((vector_size(64)));
typedef uint32_t Pairs __attribute__((vector_size(64)));
typedef Pairs StoredPairs __attribute__((aligned(2), may_alias));

/// The rows of a, or the columns of b. One of the steps, in elements, is 1.
struct Lines {
  const uint16_t* data;
  int64_t line_step, depth_step;
};

/// The contents of two tiles: up to 32 lines of up to 32 numbers.
struct LinesBlock {
  const uint16_t* data;
  int64_t line_step, depth_step, lines, depth;
};

/// Transposes v. The index of a row and the index of a column together have eight bits; each round
/// rotates them by one bit.
PHRASEQ_INLINE void transpose(Pairs (&v)[kSide]) {
#pragma GCC unroll 4
  for (int round = 0; round < 4; ++round) {
    Pairs next[kSide];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      next[2 * i] = __builtin_shufflevector(
          v[i], v[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(
          v[i], v[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) v[i] = next[i];
  }
}

/// Loads `count` numbers from `from` on, then zeros; only zeros if `present` is false.
PHRASEQ_INLINE Pairs load(const uint16_t* from, int64_t count, bool present) {
  const auto mask = present ? static_cast<__mmask32>((uint64_t{1} << count) - 1) : __mmask32{0};
  return reinterpret_cast<Pairs>(_mm512_maskz_loadu_epi16(mask, from));
}

PHRASEQ_INLINE void store(Pairs pairs, uint16_t* to) {
  *reinterpret_cast<StoredPairs*>(to) = pairs;
}

/// Loads lines whose numbers are adjacent, as [line, pair].
PHRASEQ_INLINE void load_lines(const LinesBlock& from, int64_t first, Pairs (&v)[kSide]) {
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i)
    v[i] = load(from.data + (first + i) * from.line_step, from.depth, first + i < from.lines);
}

/// Loads 32 numbers of adjacent lines. The processor interleaves the first halves of all quarters
/// of a vector, and likewise the second halves, so the numbers are permuted such that the first
/// halves belong to the first 16 lines and the second halves to the last 16.
PHRASEQ_INLINE Numbers load_numbers(const LinesBlock& from, int64_t k) {
  typedef uint64_t Fours __attribute__((vector_size(64)));
  const auto fours =
      reinterpret_cast<Fours>(load(from.data + k * from.depth_step, from.lines, k < from.depth));
  return reinterpret_cast<Numbers>(__builtin_shufflevector(fours, fours, 0, 4, 1, 5, 2, 6, 3, 7));
}

/// Loads adjacent lines, as [pair, line], for both tiles.
PHRASEQ_INLINE void load_pairs(const LinesBlock& from, Pairs (&v)[2][kSide]) {
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) {
    const auto even = reinterpret_cast<__m512i>(load_numbers(from, 2 * i)),
               odd = reinterpret_cast<__m512i>(load_numbers(from, 2 * i + 1));
    v[0][i] = reinterpret_cast<Pairs>(_mm512_unpacklo_epi16(even, odd));
    v[1][i] = reinterpret_cast<Pairs>(_mm512_unpackhi_epi16(even, odd));
  }
}

/// Writes two tiles as [line, pair] or as [pair, line]; missing numbers are zeros.
template <bool pairs_first>
PHRASEQ_INLINE void pack_tiles(const LinesBlock& from, uint16_t* first, uint16_t* second) {
  Pairs v[2][kSide];
  const bool has_pairs_first = from.depth_step != 1;
  if (has_pairs_first) {
    load_pairs(from, v);
  } else {
    load_lines(from, 0, v[0]);
    load_lines(from, kSide, v[1]);
  }
  if (has_pairs_first != pairs_first) {
    transpose(v[0]);
    transpose(v[1]);
  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) {
    store(v[0][i], first + i * kStep);
    store(v[1][i], second + i * kStep);
  }
}

}  // namespace
}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
