#include "core/nn/kernels/always_inline.h"
#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64, kVectors = 4, kTileRows = 6;
#elif defined(__AVX2__)
constexpr int kBytes = 32, kVectors = 2, kTileRows = 6;
#else
constexpr int kBytes = 16, kVectors = 2, kTileRows = 4;
#endif
constexpr int kLanes = kBytes / static_cast<int>(sizeof(float));
constexpr int kPanel = kVectors * kLanes;
constexpr int kAhead = 8;  // steps of depth that a panel is prefetched ahead

/// Rows that are multiplied with one panel after the other stay in the second cache.
constexpr int64_t kBlockBytes = 192 * 1024;

typedef float Vector __attribute__((vector_size(kBytes), aligned(sizeof(float)), may_alias));

PHRASEQ_INLINE Vector load(const float* from) { return *reinterpret_cast<const Vector*>(from); }
PHRASEQ_INLINE void store(float* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }

PHRASEQ_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// The sums of `rows` rows with the columns of one panel go to y, with bias and curve.
template <int rows>
PHRASEQ_INLINE void finish(const Vector (&sums)[rows][kVectors],
                           const PackedProduct<float>& task,
                           int64_t first_row,
                           int64_t column) {
  for (int i = 0; i < rows; ++i) {
    float values[kPanel];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store(values + v * kLanes, sums[i][v]);
    float* y = task.y + (first_row + i) * task.y_step + column;
    const int64_t count = smaller(kPanel, task.columns - column);
    if (task.bias) {
      for (int64_t j = 0; j < count; ++j) values[j] += task.bias[column + j];
    }
    if (task.relu) {
      for (int64_t j = 0; j < count; ++j) values[j] = values[j] > 0.0F ? values[j] : 0.0F;
    }
    for (int64_t j = 0; j < count; ++j) y[j] = values[j];
  }
}

/// The same for a panel with all of its columns.
template <int rows>
PHRASEQ_INLINE void finish_whole(const Vector (&sums)[rows][kVectors],
                                 const PackedProduct<float>& task,
                                 int64_t first_row,
                                 int64_t column) {
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const Vector bias = task.bias ? load(task.bias + column + v * kLanes) : Vector{};
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      Vector sum = task.bias ? sums[i][v] + bias : sums[i][v];
      if (task.relu)
        sum = sum > Vector{} ? sum : Vector{};
      store(task.y + (first_row + i) * task.y_step + column + v * kLanes, sum);
    }
  }
}

/// `rows` rows with `panels` panels, all sums in registers.
template <int rows, int panels>
void tile(const PackedProduct<float>& task, int64_t first_row, int64_t panel) {
  const float* x = task.x + first_row * task.x_step;
  const float* w = task.panels + panel * task.depth * kPanel;
  const int64_t panel_size = task.depth * kPanel;
  Vector sums[panels][rows][kVectors] = {};
  for (int64_t k = 0; k < task.depth; ++k) {
#pragma GCC unroll 4
    for (int p = 0; p < panels; ++p) {
      const float* row = w + p * panel_size + k * kPanel;
      __builtin_prefetch(row + kAhead * kPanel);
      Vector columns[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) columns[v] = load(row + v * kLanes);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const float factor = x[i * task.x_step + k];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sums[p][i][v] += factor * columns[v];
      }
    }
  }
  for (int p = 0; p < panels; ++p) {
    const int64_t column = (panel + p) * kPanel;
    if (column + kPanel <= task.columns) {
      finish_whole<rows>(sums[p], task, first_row, column);
    } else {
      finish<rows>(sums[p], task, first_row, column);
    }
  }
}

/// Few rows leave registers for several panels: enough sums to hide the latency of a multiply-add.
template <int rows>
constexpr int kPanelsAtOnce = rows == 1                   ? (kVectors == 4 ? 2 : 4)
                              : rows == 2 && kVectors < 4 ? 2
                                                          : 1;

template <int rows>
void tiles(const PackedProduct<float>& task, int64_t first_row, int64_t first, int64_t last) {
  constexpr int kAtOnce = kPanelsAtOnce<rows>;
  int64_t panel = first;
  for (; panel + kAtOnce <= last; panel += kAtOnce) tile<rows, kAtOnce>(task, first_row, panel);
  for (; panel < last; ++panel) tile<rows, 1>(task, first_row, panel);
}

void tiles_of(int64_t rows,
              const PackedProduct<float>& task,
              int64_t first_row,
              int64_t first,
              int64_t last) {
  switch (rows) {
    case 1:
      return tiles<1>(task, first_row, first, last);
    case 2:
      return tiles<2>(task, first_row, first, last);
    case 3:
      return tiles<3>(task, first_row, first, last);
    case 4:
      return tiles<4>(task, first_row, first, last);
    case 5:
      return tiles < kTileRows < 5 ? kTileRows : 5 > (task, first_row, first, last);
    default:
      return tiles<kTileRows>(task, first_row, first, last);
  }
}

/// Rows first_row to last_row - 1, in tiles of about the same height, with one panel group after
/// the other.
void block(const PackedProduct<float>& task,
           int64_t first_row,
           int64_t last_row,
           int64_t first,
           int64_t last) {
  const int64_t rows = last_row - first_row;
  const int64_t at_once =
      rows <= 2 ? 4 : 1;  // panels: more rows read one again from the first cache
  const int64_t count = (rows + kTileRows - 1) / kTileRows;
  for (int64_t group = first; group < last; group += at_once) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = first_row + rows * i / count, to = first_row + rows * (i + 1) / count;
      tiles_of(to - from, task, from, group, smaller(group + at_once, last));
    }
  }
}

void product(const PackedProduct<float>& task, int64_t first, int64_t last) {
  const int64_t fitting = kBlockBytes / (static_cast<int64_t>(sizeof(float)) * task.depth + 1);
  const int64_t rows = fitting < kTileRows ? kTileRows : fitting / kTileRows * kTileRows;
  for (int64_t row = 0; row < task.rows; row += rows)
    block(task, row, smaller(row + rows, task.rows), first, last);
}

void pack(const MatrixToPack<float>& matrix, int64_t first, int64_t last, float* panels) {
  for (int64_t panel = first; panel < last; ++panel) {
    float* to = panels + panel * matrix.depth * kPanel;
    for (int64_t j = 0; j < kPanel; ++j) {
      const int64_t column = panel * kPanel + j;
      const float* from = matrix.data + column * matrix.column_step;
      for (int64_t k = 0; k < matrix.depth; ++k)
        to[k * kPanel + j] = column < matrix.columns ? from[k * matrix.depth_step] : 0.0F;
    }
  }
}

}  // namespace

template <typename T>
const PackedKernels<T>& packed_kernels() {
  static constexpr PackedKernels<T> table{kPanel, pack, product};
  return table;
}

template const PackedKernels<float>& packed_kernels<float>();

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
