#include <cstring>

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

#include "core/nn/kernels/packed/narrow_kernels.h"
#include "core/nn/kernels/packed/panel_tiles.h"
#if defined(__AMX_BF16__)
#include "core/nn/kernels/packed/matrix_tiles.h"
#endif

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

using Number = uint16_t;  // the upper half of a float
constexpr int kGroup = 2;
#if defined(__AMX_BF16__)
constexpr int kStep = 32;
#else
constexpr int kStep = kGroup;
#endif

typedef uint32_t PairBits __attribute__((vector_size(kBytes), may_alias));
typedef uint32_t StoredPairs __attribute__((vector_size(kBytes), aligned(1), may_alias));

PHRASEQ_INLINE int64_t filled(int64_t depth) { return (depth + kStep - 1) / kStep * kStep; }
PHRASEQ_INLINE int64_t size_of_row(int64_t depth) {
  return filled(depth) * static_cast<int64_t>(sizeof(Number));
}
PHRASEQ_INLINE int64_t size_of_panel(int64_t depth) { return size_of_row(depth) * kPanel; }

/// Rounds to nearest, ties to even.
PHRASEQ_INLINE Number rounded(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const uint32_t nearest = bits + 0x7fffU + (bits >> 16 & 1U);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<Number>((is_nan ? bits | 0x400000U : nearest) >> 16);
}

#if defined(__AMX_BF16__)

struct MultiplyBf16 {
  template <int sums, int columns>
  PHRASEQ_INLINE static void to() {
    asm volatile("tdpbf16ps %%tmm%c1, %%tmm4, %%tmm%c0" : : "i"(sums), "i"(columns));
  }
};

void product(const NarrowProduct<float>& task, int64_t first, int64_t last) {
  const int64_t row_size = size_of_row(task.depth), panel_size = size_of_panel(task.depth);
  TileSums sums;
  visit_blocks(task.rows, row_size, first, last, [&](int64_t row, int64_t panel, int64_t height) {
    const auto* x = static_cast<const char*>(task.x) + row * row_size;
    sum_tiles<MultiplyBf16>(
        x, row_size, task.panels + panel * panel_size, row_size / kTileBytes, sums);
    for (int64_t i = 0; i < height; ++i) {
      const auto* from = reinterpret_cast<const float*>(sums.values[i]);
      Values values[1][1][kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) values[0][0][v] = load(from + v * kLanes);
      finish_panels<PlainSums>(values, task, row + i, panel);
    }
  });
}

#else

/// Lane i: sum + x[2i + 1] w[2i + 1] + x[2i] w[2i], each product exact and each sum rounded.
PHRASEQ_INLINE Values add_products(Values sum, PairBits x, PairBits w) {
#if defined(__AVX512BF16__)
  return reinterpret_cast<Values>(_mm512_dpbf16_ps(
      reinterpret_cast<__m512>(sum), reinterpret_cast<__m512bh>(x), reinterpret_cast<__m512bh>(w)));
#else
  constexpr uint32_t kUpper = 0xffff0000U;
  sum += reinterpret_cast<Values>(x & kUpper) * reinterpret_cast<Values>(w & kUpper);
  return sum + reinterpret_cast<Values>(x << 16) * reinterpret_cast<Values>(w << 16);
#endif
}

PHRASEQ_INLINE PairBits repeat_group(const Number* from) {
  uint32_t group;
  std::memcpy(&group, from, sizeof(group));
  return group + PairBits{};
}

struct Bf16Tile : PlainSums {
  template <int rows, int panels>
  static void run(const NarrowProduct<float>& task, int64_t first_row, int64_t panel) {
    const int64_t depth = filled(task.depth), panel_size = size_of_panel(task.depth);
    const Number* x = static_cast<const Number*>(task.x) + first_row * depth;
    const int8_t* w = task.panels + panel * panel_size;
    Values sums[panels][rows][kVectors] = {};
    for (int64_t k = 0; k < depth; k += kGroup) {
#pragma GCC unroll 4
      for (int p = 0; p < panels; ++p) {
        const int8_t* row = w + p * panel_size + k * kPanel * static_cast<int64_t>(sizeof(Number));
        if (kPrefetches<rows>)
          __builtin_prefetch(row + kAhead * kPanel * 4);
        PairBits columns[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v)
          columns[v] = *reinterpret_cast<const StoredPairs*>(row + v * kBytes);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          const PairBits factor = repeat_group(x + i * depth + k);
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v)
            sums[p][i][v] = add_products(sums[p][i][v], factor, columns[v]);
        }
      }
    }
    finish_panels<Bf16Tile>(sums, task, first_row, panel);
  }
};

void product(const NarrowProduct<float>& task, int64_t first, int64_t last) {
  product_in_tiles<Bf16Tile>(task, size_of_row(task.depth), first, last);
}

#endif

/// The depth that is copied for all columns of a panel before the next part of the depth.
constexpr int64_t kPackedDepth = 64;

void pack(const MatrixToPack<float>& matrix,
          int64_t first,
          int64_t last,
          int8_t* panels,
          float* /*scales*/) {
  const int64_t size = size_of_panel(matrix.depth);
  std::memset(panels + first * size, 0, static_cast<size_t>((last - first) * size));
  for (int64_t panel = first; panel < last; ++panel) {
    auto* to = reinterpret_cast<Number*>(panels + panel * size);
    const int64_t columns = smaller(kPanel, matrix.columns - panel * kPanel);
    for (int64_t part = 0; part < matrix.depth; part += kPackedDepth) {
      const int64_t end = smaller(part + kPackedDepth, matrix.depth);
      for (int64_t j = 0; j < columns; ++j) {
        const float* from = matrix.data + (panel * kPanel + j) * matrix.column_step;
        for (int64_t k = part; k < end; ++k)
          to[(k / kGroup * kPanel + j) * kGroup + k % kGroup] =
              rounded(from[k * matrix.depth_step]);
      }
    }
  }
}

void quantize(
    const float* x, int64_t step, int64_t rows, int64_t depth, void* numbers, float* /*scales*/) {
  const int64_t padded = filled(depth);
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = x + row * step;
    Number* to = static_cast<Number*>(numbers) + row * padded;
#pragma GCC ivdep
    for (int64_t k = 0; k < depth; ++k) to[k] = rounded(from[k]);
    for (int64_t k = depth; k < padded; ++k) to[k] = 0;
  }
}

}  // namespace

template <typename T>
const NarrowKernels<T>& bf16_kernels() {
  static constexpr NarrowKernels<T> table{
      kPanel, size_of_panel, size_of_row, pack, quantize, product};
  return table;
}

template const NarrowKernels<float>& bf16_kernels<float>();

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
