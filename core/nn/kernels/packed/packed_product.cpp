#include "core/nn/kernels/packed/packed_kernels.h"
#include "core/nn/kernels/packed/panel_tiles.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

struct Fp32Tile : PlainSums {
  template <int rows, int panels>
  static void run(const PackedProduct<float>& task, int64_t first_row, int64_t panel) {
    const float* x = task.x + first_row * task.x_step;
    const float* w = task.panels + panel * task.depth * kPanel;
    const int64_t panel_size = task.depth * kPanel;
    Values sums[panels][rows][kVectors] = {};
    for (int64_t k = 0; k < task.depth; ++k) {
#pragma GCC unroll 4
      for (int p = 0; p < panels; ++p) {
        const float* row = w + p * panel_size + k * kPanel;
        if (kPrefetches<rows>)
          __builtin_prefetch(row + kAhead * kPanel);
        Values columns[kVectors];
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
    finish_panels<Fp32Tile>(sums, task, first_row, panel);
  }
};

void product(const PackedProduct<float>& task, int64_t first, int64_t last) {
  product_in_tiles<Fp32Tile>(task, static_cast<int64_t>(sizeof(float)) * task.depth, first, last);
}

/// The depth that is copied for all columns of a panel before the next part of the depth: 8 KB stay
/// in the first-level cache.
constexpr int64_t kPackedDepth = 32;

void pack(const MatrixToPack<float>& matrix, int64_t first, int64_t last, float* panels) {
  for (int64_t panel = first; panel < last; ++panel) {
    float* to = panels + panel * matrix.depth * kPanel;
    for (int64_t part = 0; part < matrix.depth; part += kPackedDepth) {
      const int64_t end = smaller(part + kPackedDepth, matrix.depth);
      for (int64_t j = 0; j < kPanel; ++j) {
        const int64_t column = panel * kPanel + j;
        const float* from = matrix.data + column * matrix.column_step;
        for (int64_t k = part; k < end; ++k)
          to[k * kPanel + j] = column < matrix.columns ? from[k * matrix.depth_step] : 0.0F;
      }
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
