#pragma once

#include <cstdint>

#include "core/nn/kernels/always_inline.h"
#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/registers.h"

/// How products with packed panels are divided into tiles whose sums stay in registers.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

#if defined(__AVX512BW__)
constexpr int kVectors = 4, kTileRows = 6;
#elif defined(__AVX2__)
constexpr int kVectors = 2, kTileRows = 6;
#else
constexpr int kVectors = 2, kTileRows = 4;
#endif
constexpr int kBytes = kRegisterBytes;
constexpr int kLanes = kBytes / 4;  // 32-bit lanes
constexpr int kPanel = kVectors * kLanes;
constexpr int kAhead = 8;  // how many steps of depth ahead panels are prefetched

/// The size of the rows that are multiplied with one panel after the other: they stay in the
/// second-level cache.
constexpr int64_t kBlockBytes = 192 * 1024;

typedef float Values __attribute__((vector_size(kBytes), aligned(sizeof(float)), may_alias));

PHRASEQ_INLINE Values load(const float* from) { return *reinterpret_cast<const Values*>(from); }
PHRASEQ_INLINE void store(float* to, Values value) { *reinterpret_cast<Values*>(to) = value; }

/// Writes `count` values of a row of y: y = max(0, value + bias), both only if the task has them.
/// As in ATen's ReLU, NaN stays NaN.
template <typename Task>
PHRASEQ_INLINE void finish_row(
    float* values, const Task& task, int64_t row, int64_t column, int64_t count) {
  if (task.bias) {
    for (int64_t j = 0; j < count; ++j) values[j] += task.bias[column + j];
  }
  if (task.relu) {
    for (int64_t j = 0; j < count; ++j) values[j] = values[j] < 0.0F ? 0.0F : values[j];
  }
  float* y = task.y + row * task.y_step + column;
  for (int64_t j = 0; j < count; ++j) y[j] = values[j];
}

/// Writes a vector of columns of a whole panel in the same way; `bias` is read only if the task has
/// one.
template <typename Task>
PHRASEQ_INLINE void finish_vector(
    Values value, Values bias, const Task& task, int64_t row, int64_t column) {
  if (task.bias)
    value += bias;
  if (task.relu)
    value = value < Values{} ? Values{} : value;
  store(task.y + row * task.y_step + column, value);
}

/// Writes the sums of a tile to rows of y without scaling.
struct PlainSums {
  /// Writes the columns of the last panel, which has fewer than kPanel.
  template <int rows, typename Task>
  PHRASEQ_INLINE static void finish(const Values (&sums)[rows][kVectors],
                                    const Task& task,
                                    int64_t first_row,
                                    int64_t column) {
    for (int i = 0; i < rows; ++i) {
      float values[kPanel];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) store(values + v * kLanes, sums[i][v]);
      finish_row(values, task, first_row + i, column, smaller(kPanel, task.columns - column));
    }
  }

  /// Writes all columns of a panel.
  template <int rows, typename Task>
  PHRASEQ_INLINE static void finish_whole(const Values (&sums)[rows][kVectors],
                                          const Task& task,
                                          int64_t first_row,
                                          int64_t column) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int64_t place = column + v * kLanes;
      const Values bias = task.bias ? load(task.bias + place) : Values{};
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) finish_vector(sums[i][v], bias, task, first_row + i, place);
    }
  }
};

/// Writes the sums of `panels` panels, [panel][row][vector], with `Tile::finish` or
/// `Tile::finish_whole`.
template <typename Tile, int rows, int panels, typename Sums, typename Task>
PHRASEQ_INLINE void finish_panels(const Sums (&sums)[panels][rows][kVectors],
                                  const Task& task,
                                  int64_t first_row,
                                  int64_t panel) {
  for (int p = 0; p < panels; ++p) {
    const int64_t column = (panel + p) * kPanel;
    if (column + kPanel <= task.columns) {
      Tile::template finish_whole<rows>(sums[p], task, first_row, column);
    } else {
      Tile::template finish<rows>(sums[p], task, first_row, column);
    }
  }
}

/// The number of panels that a tile multiplies at once. With few rows, there are registers for
/// several panels, whose sums hide the latency of multiply-adds. A panel of four vectors has enough
/// sums even with one row; more panels would only add streams to read.
template <int rows>
constexpr int kPanelsAtOnce = kVectors == 4 || rows > 2 ? 1 : 4 / rows;

/// Whether panels are prefetched, one cache line per step of depth: with few rows, almost all time
/// is spent reading panels. The processor prefetches a single stream by itself, and does so faster.
template <int rows>
constexpr bool kPrefetches = rows > 2 || kVectors != 4;

/// Multiplies `rows` rows with the panels first to last - 1, by calls of
/// `Tile::run<rows, panels>(task, first_row, panel)` for `panels` panels each.
template <typename Tile, int rows, typename Task>
void tiles(const Task& task, int64_t first_row, int64_t first, int64_t last) {
  constexpr int kAtOnce = kPanelsAtOnce<rows>;
  int64_t panel = first;
  for (; panel + kAtOnce <= last; panel += kAtOnce)
    Tile::template run<rows, kAtOnce>(task, first_row, panel);
  for (; panel < last; ++panel) Tile::template run<rows, 1>(task, first_row, panel);
}

/// The same with the number of rows as an argument, from 1 to kTileRows.
template <typename Tile, typename Task>
void tiles_of(int64_t rows, const Task& task, int64_t first_row, int64_t first, int64_t last) {
  switch (rows) {
    case 1:
      return tiles<Tile, 1>(task, first_row, first, last);
    case 2:
      return tiles<Tile, 2>(task, first_row, first, last);
    case 3:
      return tiles<Tile, 3>(task, first_row, first, last);
    case 4:
      return tiles<Tile, 4>(task, first_row, first, last);
    case 5:
      return tiles<Tile, (kTileRows < 5 ? kTileRows : 5)>(task, first_row, first, last);
    default:
      return tiles<Tile, kTileRows>(task, first_row, first, last);
  }
}

/// Multiplies the rows first_row to last_row - 1, in tiles of about the same height, with one group
/// of panels after the other.
template <typename Tile, typename Task>
void block(const Task& task, int64_t first_row, int64_t last_row, int64_t first, int64_t last) {
  const int64_t rows = last_row - first_row;
  const int64_t at_once =
      rows <= 2 ? 4 : 1;  // panels; with more rows, a panel is read again from the L1 cache
  const int64_t count = (rows + kTileRows - 1) / kTileRows;
  for (int64_t group = first; group < last; group += at_once) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = first_row + rows * i / count, to = first_row + rows * (i + 1) / count;
      tiles_of<Tile>(to - from, task, from, group, smaller(group + at_once, last));
    }
  }
}

/// Computes the task for all rows of x, of `row_bytes` bytes each, and the panels first to last
/// - 1.
template <typename Tile, typename Task>
void product_in_tiles(const Task& task, int64_t row_bytes, int64_t first, int64_t last) {
  const int64_t fitting = kBlockBytes / (row_bytes + 1);
  const int64_t rows = fitting < kTileRows ? kTileRows : fitting / kTileRows * kTileRows;
  for (int64_t row = 0; row < task.rows; row += rows)
    block<Tile>(task, row, smaller(row + rows, task.rows), first, last);
}

}  // namespace
}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
