#pragma once

#include <cstdint>

#include "core/nn/kernels/always_inline.h"
#include "core/nn/kernels/registers.h"

/// Products of matrices that fit into the first-level cache, as in attention. Included only by the
/// kernels' sources.
namespace phraseq::nn::kernels {
namespace {

constexpr int64_t kColumnUnit = 16;

#if defined(__AVX512F__)
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 4;
#endif

/// A matrix read element by element: a[i · row_step + k · column_step].
template <typename S>
struct Elements {
  const S* data;
  int64_t row_step, column_step;
};

/// Computes a tile of C, `tile_rows` rows by `vectors` registers, whose sums stay in registers.
template <int tile_rows, int vectors, typename S>
PHRASEQ_INLINE void product_tile(const Elements<S>& a,
                                 const S* b,
                                 int64_t b_step,
                                 S* c,
                                 int64_t c_step,
                                 int64_t depth,
                                 bool accumulate) {
  constexpr int kLanes = kLanesOfRegister<S>;
  using Row = Vector<S, kLanes>;
  Row sums[tile_rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < tile_rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      sums[i][v] = accumulate ? *reinterpret_cast<const Row*>(c + i * c_step + v * kLanes) : Row{};
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    Row row[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      row[v] = *reinterpret_cast<const Row*>(b + k * b_step + v * kLanes);
    }
#pragma GCC unroll 8
    for (int i = 0; i < tile_rows; ++i) {
      const S factor = a.data[i * a.row_step + k * a.column_step];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[i][v] += factor * row[v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < tile_rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      *reinterpret_cast<Row*>(c + i * c_step + v * kLanes) = sums[i][v];
    }
  }
}

/// Computes all columns of `tile_rows` rows of C.
template <int tile_rows, typename S>
PHRASEQ_INLINE void product_rows(const Elements<S>& a,
                                 const S* b,
                                 int64_t b_step,
                                 S* c,
                                 int64_t c_step,
                                 int64_t columns,
                                 int64_t depth,
                                 bool accumulate) {
  constexpr int kLanes = kLanesOfRegister<S>;
  int64_t j = 0;
  for (; j + 2 * kLanes <= columns; j += 2 * kLanes) {
    product_tile<tile_rows, 2>(a, b + j, b_step, c + j, c_step, depth, accumulate);
  }
  for (; j < columns; j += kLanes) {
    product_tile<tile_rows, 1>(a, b + j, b_step, c + j, c_step, depth, accumulate);
  }
}

/// Computes C = A B or, if `accumulate`, C += A B: A [rows, depth], B [depth, columns], C [rows,
/// columns]. Rows of B are `b_step` elements apart, rows of C `c_step`; `columns` is a multiple of
/// kColumnUnit.
template <typename S>
void small_product(const Elements<S>& a,
                   const S* b,
                   int64_t b_step,
                   S* c,
                   int64_t c_step,
                   int64_t rows,
                   int64_t columns,
                   int64_t depth,
                   bool accumulate) {
  int64_t i = 0;
  const auto from = [&](int64_t row) {
    return Elements<S>{a.data + row * a.row_step, a.row_step, a.column_step};
  };
  for (; i + kTileRows <= rows; i += kTileRows) {
    product_rows<kTileRows>(from(i), b, b_step, c + i * c_step, c_step, columns, depth, accumulate);
  }
  for (; i + 2 <= rows; i += 2) {
    product_rows<2>(from(i), b, b_step, c + i * c_step, c_step, columns, depth, accumulate);
  }
  for (; i < rows; ++i) {
    product_rows<1>(from(i), b, b_step, c + i * c_step, c_step, columns, depth, accumulate);
  }
}

}  // namespace
}  // namespace phraseq::nn::kernels
