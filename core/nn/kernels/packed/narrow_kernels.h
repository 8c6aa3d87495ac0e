#pragma once

#include <cstdint>

#include "core/nn/kernels/packed/packed_kernels.h"

namespace phraseq::nn::kernels {

/// A linear map with x and W in 8 or 16 bits; bias and y in T.
template <typename T>
struct NarrowProduct : ProductTask<T> {
  const void* x;         ///< [rows, row_bytes], as `quantize` wrote it
  const T* x_scales;     ///< [rows]; of 8 bits only
  const int8_t* panels;  ///< as `pack` wrote them
  const T* scales;       ///< [columns]; of 8 bits only
};

/// Linear maps on numbers of 8 or 16 bits.
///
/// int8_kernels multiply whole numbers from -127 to 127, with one scale for each row of x and each
/// row of W (each column of y):
///
///   scale = max |x| / 127,  n = round(x / scale),  y[i, j] = scale_x[i] · scale_w[j] · Σ n_x · n_w
///
/// The sums are exact in 32 bits, so all variants give the same results.
///
/// bf16_kernels multiply numbers rounded to bfloat16, to nearest, with sums in fp32 and without
/// scales. Variants may add in different orders; in each of them, a row's result does not depend on
/// the number of rows.
///
/// Panels are [columns / panel_columns, depth / group, panel_columns, group], the last group padded
/// with zeros: a group consists of the numbers that one instruction multiplies and adds in a lane.
/// The layout of a row and the header of a panel depend on the instructions of the variant.
template <typename T>
struct NarrowKernels {
  int64_t panel_columns;
  int64_t (*panel_bytes)(int64_t depth);  ///< the size of a panel
  int64_t (*row_bytes)(int64_t depth);    ///< the size of a row of x after `quantize`
  /// Converts the columns of the panels first to last - 1; `panels` and `scales` [columns] point at
  /// panel 0 and column 0.
  void (*pack)(
      const MatrixToPack<T>& matrix, int64_t first, int64_t last, int8_t* panels, T* scales);
  /// Converts rows of x, `step` elements apart, to `numbers` [rows, row_bytes] and `scales` [rows].
  /// With 8 bits, a row of zeros has the scale 0, and a row that contains a non-finite number has
  /// the scale NaN.
  void (*quantize)(const T* x, int64_t step, int64_t rows, int64_t depth, void* numbers, T* scales);
  /// Computes all rows of y in the columns of the panels first to last - 1.
  void (*product)(const NarrowProduct<T>& task, int64_t first, int64_t last);
};

/// Declare int8_kernels<float>(level) and bf16_kernels<float>(level), for every processor.
PHRASEQ_DECLARE_KERNELS(NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS(NarrowKernels, bf16_kernels)

/// The same kernels for v3 and v4 with instructions for such products: AVX-VNNI, AVX512-VNNI,
/// AVX512-BF16 and AMX.
#if defined(__x86_64__)
PHRASEQ_DECLARE_KERNELS_OF(v3_vnni, NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_vnni, NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_amx, NarrowKernels, int8_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_bf16, NarrowKernels, bf16_kernels)
PHRASEQ_DECLARE_KERNELS_OF(v4_amx, NarrowKernels, bf16_kernels)
#endif

}  // namespace phraseq::nn::kernels
