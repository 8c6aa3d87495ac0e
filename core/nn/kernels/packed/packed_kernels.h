#pragma once

#include <cstdint>

#include "core/nn/kernels/processor_level.h"

namespace phraseq::nn::kernels {

/// A matrix W [columns, depth] anywhere in memory: element [column, k] is
/// data[column · column_step + k · depth_step].
template <typename T>
struct MatrixToPack {
  const T* data;
  int64_t column_step, depth_step;
  int64_t columns, depth;
};

/// y = x Wᵀ + bias with W [columns, depth], for rows of y that lie `y_step` apart; `bias` may be
/// null.
template <typename T>
struct ProductTask {
  int64_t rows, columns, depth;
  const T* bias;
  bool relu;  ///< y = max(0, y)
  T* y;
  int64_t y_step;
};

template <typename T>
struct PackedProduct : ProductTask<T> {
  const T* x;
  int64_t x_step;   ///< from one row to the next
  const T* panels;  ///< W as `pack` wrote it
};

/// Products with a matrix that was copied once into panels of as many columns as the registers of a
/// level take, [columns / panel_columns, depth, panel_columns], the last one filled up with zeros.
///
/// Each element of y is one sum over `depth` in its order, so that a row's result does not depend
/// on the number of rows.
template <typename T>
struct PackedKernels {
  int64_t panel_columns;
  /// Writes the panels first to last - 1; `panels` is where panel 0 is.
  void (*pack)(const MatrixToPack<T>& matrix, int64_t first, int64_t last, T* panels);
  /// The columns of panels first to last - 1; y is where column 0 is.
  void (*product)(const PackedProduct<T>& task, int64_t first, int64_t last);
};

PHRASEQ_DECLARE_KERNELS(PackedKernels, packed_kernels)

}  // namespace phraseq::nn::kernels
