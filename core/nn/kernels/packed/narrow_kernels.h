#pragma once

#include <cstdint>

#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn::kernels {

/// A product with x and W in 8 or 16 bits.
template <typename T>
struct NarrowProduct : ProductTask<T> {
  const void* x;         ///< as `quantize` wrote it
  const T* x_scales;     ///< [rows]
  const int8_t* panels;  ///< as `pack` wrote them
  const T* scales;       ///< [columns]
};

/// Products of numbers of 8 or 16 bits.
///
/// int8_kernels: whole numbers, exact in 32 bits: symmetric, -127 to 127, rounded to nearest, one
/// scale for each row of W (made once) and of x (made for each product). All variants have the same
/// sums and so the same results.
///
/// bf16_kernels: bfloat16, rounded to nearest, with sums in fp32 and without scales. Variants may
/// add in another order; with each, a row's result does not depend on the number of rows.
///
/// Panels are [columns / panel_columns, depth / group, panel_columns, group], the last group filled
/// up with zeros; the layout of a row and the header of a panel depend on the instructions of the
/// variant.
template <typename T>
struct NarrowKernels {
  int64_t panel_columns;
  int64_t (*panel_bytes)(int64_t depth);
  int64_t (*row_bytes)(int64_t depth);  ///< of a row of x in few bits
  /// Writes the panels first to last - 1 and the scales of their columns.
  void (*pack)(
      const MatrixToPack<T>& matrix, int64_t first, int64_t last, int8_t* panels, T* scales);
  /// Rows of x, `step` apart, as numbers of few bits and scales; for 8 bits, a row of zeros has the
  /// scale 0, and a row with a number that is not finite has the scale NaN.
  void (*quantize)(const T* x, int64_t step, int64_t rows, int64_t depth, void* numbers, T* scales);
  void (*product)(const NarrowProduct<T>& task, int64_t first, int64_t last);
};

PHRASEQ_DECLARE_KERNELS(NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS(NarrowKernels, bf16_kernels)

/// Levels v3 and v4 with instructions for such products (AVX-VNNI, AVX512-VNNI, AVX512-BF16, AMX).
#if defined(__x86_64__)
PHRASEQ_DECLARE_KERNELS_OF(v3_vnni, NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_vnni, NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_amx, NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_bf16, NarrowKernels, bf16_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_amx, NarrowKernels, bf16_kernels)
#endif

}  // namespace phraseq::nn::kernels
