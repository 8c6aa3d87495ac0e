#pragma once

#include <cstdint>

#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn::kernels {

/// Whole numbers of a row of x stand every `int8_depth` elements: pairs, the last one filled up.
inline int64_t int8_depth(int64_t depth) { return (depth + 1) / 2 * 2; }

/// y = x Wᵀ + bias with x and W as whole numbers times a scale for each row.
template <typename T>
struct Int8Product {
  const int16_t* x;   ///< [rows, int8_depth], -127 to 127
  const T* x_scales;  ///< [rows]
  int64_t rows;
  const int8_t* panels;
  const T* scales;  ///< [columns]
  int64_t columns, depth;
  const T* bias;
  bool relu;
  T* y;
  int64_t y_step;
};

/// Products of 8-bit whole numbers, exact in 32 bits: symmetric, -127 to 127, rounded to nearest,
/// one scale for each row of W (made once) and of x (made for each product).
///
/// Panels are [columns / panel_columns, depth / 2, panel_columns, 2]: multiply-adds of pairs in 16
/// bits, which cannot saturate, read them as they are.
template <typename T>
struct Int8Kernels {
  int64_t panel_columns;
  /// Writes the panels first to last - 1 and the scales of their columns.
  void (*pack)(
      const MatrixToPack<T>& matrix, int64_t first, int64_t last, int8_t* panels, T* scales);
  /// Rows of x, `step` apart, as whole numbers and scales; a row of zeros has the scale 0. A row
  /// with a number that is not finite has the scale NaN.
  void (*quantize)(
      const T* x, int64_t step, int64_t rows, int64_t depth, int16_t* numbers, T* scales);
  void (*product)(const Int8Product<T>& task, int64_t first, int64_t last);
};

PHRASEQ_DECLARE_KERNELS(Int8Kernels, int8_kernels)

}  // namespace phraseq::nn::kernels
