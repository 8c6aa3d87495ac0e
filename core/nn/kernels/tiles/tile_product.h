#pragma once

#include <cstdint>

namespace phraseq::nn::kernels {

/// A matrix of bf16 numbers: (i, j) is data[i · row_step + j · column_step], and one of the steps
/// is 1.
struct Bf16Matrix {
  const uint16_t* data;
  int64_t row_step, column_step;
};

/// The product of a [rows, depth] and b [depth, columns], summed in fp32 in an order that does not
/// depend on the numbers of rows and columns.
struct TileProduct {
  int64_t rows, columns, depth;
  Bf16Matrix a, b;
  /// [rows, columns], `step` elements apart. Without y, sums += a b. With y, this is memory for
  /// partial sums, which is needed if the product has several parts.
  float* sums;
  int64_t step;
  uint16_t* y;  ///< [rows, columns], `y_step` elements apart: a b in bf16; or null
  int64_t y_step;
};

/// Products by the tile registers of AMX (Intel's Advanced Matrix Extensions).
struct TileKernels {
  int64_t (*parts)(int64_t depth);
  int64_t (*scratch_bytes)(const TileProduct& task);  ///< aligned to 64
  void (*multiply)(const TileProduct& task, void* scratch);
};

#if defined(__x86_64__)
namespace v4_amx {
extern const TileKernels tile_kernels;
}
#endif

}  // namespace phraseq::nn::kernels
