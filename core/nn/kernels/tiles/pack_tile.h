#pragma once

#include <cstdint>
#include <immintrin.h>

#include "core/nn/kernels/always_inline.h"

/// How bf16 numbers are arranged for the tile registers of AMX.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// A tile has 16 lines (rows of a, or columns of b) of 32 numbers of depth: 16 pairs.
constexpr int64_t kSide = 16, kStep = 32, kTileNumbers = kSide * kStep;

typedef uint16_t Numbers __attribute__((vector_size(32)));
typedef uint32_t Pairs __attribute__((vector_size(64)));
typedef Pairs StoredPairs __attribute__((aligned(2), may_alias));

/// The rows of a, or the columns of b. One of the steps, in elements, is 1.
struct Lines {
  const uint16_t* data;
  int64_t line_step, depth_step;
};

/// Transposes v. The number of a row and the number of a column together have eight bits; each
/// round rotates them by one.
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

/// Lines whose numbers follow one another: v[line] has the pairs of a line.
PHRASEQ_INLINE void load_lines(
    const uint16_t* from, int64_t step, int64_t lines, int64_t depth, Pairs (&v)[kSide]) {
  const auto mask = static_cast<__mmask32>((uint64_t{1} << depth) - 1);
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i)
    v[i] = i < lines ? reinterpret_cast<Pairs>(_mm512_maskz_loadu_epi16(mask, from + i * step))
                     : Pairs{};
}

/// Lines side by side: v[pair] has one pair of all lines.
PHRASEQ_INLINE void load_pairs(
    const uint16_t* from, int64_t step, int64_t lines, int64_t depth, Pairs (&v)[kSide]) {
  const auto mask = static_cast<__mmask16>((1U << lines) - 1U);
  const auto numbers_at = [&](int64_t k) {
    const __mmask16 present = k < depth ? mask : __mmask16{0};
    const __m256i numbers = _mm256_maskz_loadu_epi16(present, from + k * step);
    return __builtin_convertvector(reinterpret_cast<Numbers>(numbers), Pairs);
  };
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i) v[i] = numbers_at(2 * i) | numbers_at(2 * i + 1) << 16;
}

/// Writes a tile of up to 16 lines and 32 numbers, the rest zeros: as [line, pair], or as [pair,
/// line].
template <bool pairs_first>
PHRASEQ_INLINE void pack_tile(
    const Lines& from, int64_t line, int64_t lines, int64_t k, int64_t depth, uint16_t* to) {
  Pairs v[kSide];
  const uint16_t* data = from.data + line * from.line_step + k * from.depth_step;
  if (from.depth_step == 1)
    load_lines(data, from.line_step, lines, depth, v);
  else
    load_pairs(data, from.depth_step, lines, depth, v);
  if ((from.depth_step == 1) == pairs_first)
    transpose(v);
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i) *reinterpret_cast<StoredPairs*>(to + i * kStep) = v[i];
}

}  // namespace
}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
