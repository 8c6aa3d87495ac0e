#pragma once

#include <cstdint>

#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn::kernels {

/// A product with x and W as whole numbers times a scale for each row.
template <typename T>
struct Int8Product : ProductTask<T> {
  const void* x;         ///< as `quantize` wrote it
  const T* x_scales;     ///< [rows]
  const int8_t* panels;  ///< as `pack` wrote them
  const T* scales;       ///< [columns]
};

/// Products of 8-bit whole numbers, exact in 32 bits: symmetric, -127 to 127, rounded to nearest,
/// one scale for each row of W (made once) and of x (made for each product).
///
/// Panels are [columns / panel_columns, depth / group, panel_columns, group], the last group filled
/// up with zeros; the layout of a row and the header of a panel depend on the instructions of the
/// variant. All variants have the same sums and so the same results.
template <typename T>
struct Int8Kernels {
  int64_t panel_columns;
  int64_t (*panel_bytes)(int64_t depth);
  int64_t (*row_bytes)(int64_t depth);  ///< of a row of x as whole numbers
  /// Writes the panels first to last - 1 and the scales of their columns.
  void (*pack)(
      const MatrixToPack<T>& matrix, int64_t first, int64_t last, int8_t* panels, T* scales);
  /// Rows of x, `step` apart, as whole numbers and scales; a row of zeros has the scale 0. A row
  /// with a number that is not finite has the scale NaN.
  void (*quantize)(const T* x, int64_t step, int64_t rows, int64_t depth, void* numbers, T* scales);
  void (*product)(const Int8Product<T>& task, int64_t first, int64_t last);
};

PHRASEQ_DECLARE_KERNELS(Int8Kernels, int8_kernels)

/// Levels v3 and v4 with instructions for products of 8 bits (AVX-VNNI, AVX512-VNNI).
#if defined(__x86_64__)
PHRASEQ_DECLARE_KERNELS_OF(v3_vnni, Int8Kernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_vnni, Int8Kernels, int8_kernels)
#endif

}  // namespace phraseq::nn::kernels
