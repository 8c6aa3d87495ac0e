#pragma once

#include <cstdint>

#include "core/nn/kernels/processor_level.h"

namespace phraseq::nn::kernels {

/// A weight W [columns, depth] anywhere in memory: W[column, k] is
/// data[column · column_step + k · depth_step].
template <typename T>
struct MatrixToPack {
  const T* data;
  int64_t column_step, depth_step;
  int64_t columns, depth;
};

/// A linear map: y = x Wᵀ + bias or, with `relu`, y = max(0, x Wᵀ + bias), for x [rows, depth],
/// W [columns, depth] and y [rows, columns].
template <typename T>
struct ProductTask {
  int64_t rows, columns, depth;
  const T* bias;  ///< [columns] or null
  bool relu;
  T* y;
  int64_t y_step;  ///< elements from one row to the next
};

/// A linear map in T.
template <typename T>
struct PackedProduct : ProductTask<T> {
  const T* x;
  int64_t x_step;   ///< elements from one row to the next
  const T* panels;  ///< W, as written by `pack`
};

/// Linear maps whose weight was copied once into panels. A panel has as many columns as fit into
/// the registers of a level, and its elements are in the order in which the product reads them:
/// panels [columns / panel_columns, depth, panel_columns], the last one padded with zeros.
///
/// Each element of y is one sum over `depth`, from the first to the last, so a row's result does
/// not depend on the number of rows.
template <typename T>
struct PackedKernels {
  int64_t panel_columns;
  /// Copies the columns of the panels first to last - 1; `panels` points at panel 0.
  void (*pack)(const MatrixToPack<T>& matrix, int64_t first, int64_t last, T* panels);
  /// Computes all rows of y in the columns of the panels first to last - 1; task.panels and task.y
  /// point at panel 0 and column 0.
  void (*product)(const PackedProduct<T>& task, int64_t first, int64_t last);
};

/// Declares packed_kernels<float>(level).
PHRASEQ_DECLARE_KERNELS(PackedKernels, packed_kernels)

}  // namespace phraseq::nn::kernels
