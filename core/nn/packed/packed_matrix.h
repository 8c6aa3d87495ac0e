#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/packed/product_choice.h"

namespace phraseq::nn {

class PackedMemory;
class PreparedRows;

/// The destination of a product's rows: `data` is the element in row 0 of the product and column 0
/// of the matrix.
struct ProductPlace {
  float* data;
  int64_t step;
};

/// A weight W [columns, depth] in the layout of phraseq's own kernels, copied once; immutable.
class PHRASEQ_API PackedMatrix {
 public:
  /// `weight` [columns, depth], fp32 on the CPU, any strides. `memory`: where the copy is stored;
  /// null = its own memory.
  PackedMatrix(const at::Tensor& weight, Quantization kind, PackedMemory* memory = nullptr);

  int64_t columns() const { return columns_; }
  int64_t depth() const { return depth_; }
  Quantization kind() const { return kind_; }

  /// x Wᵀ + bias, [rows, columns]; x [rows, depth] fp32 contiguous, `bias` [columns] or null.
  /// `relu`: negative results are set to 0. Uses as many threads as are worthwhile.
  at::Tensor multiply(const at::Tensor& x, const float* bias, bool relu) const;

  /// Computes columns [first, last) of the rows [first_row, last_row) of x Wᵀ + bias, in this
  /// thread. `first` and, unless it is the end, `last` are multiples of kColumnUnit.
  void multiply_columns(const PreparedRows& x,
                        int64_t first_row,
                        int64_t last_row,
                        int64_t first,
                        int64_t last,
                        const float* bias,
                        const ProductPlace& place) const;

  /// A multiple of the panel widths of all levels.
  static constexpr int64_t kColumnUnit = 64;

 private:
  friend class PreparedRows;
  void multiply_panels(const PreparedRows& x,
                       int64_t first_row,
                       int64_t last_row,
                       int64_t first_panel,
                       int64_t last_panel,
                       const float* bias,
                       bool relu,
                       const ProductPlace& place) const;

  Quantization kind_;
  int64_t columns_, depth_, panel_columns_;
  at::Tensor panels_;  // bytes, which may contain fp32 numbers
  at::Tensor scales_;  // [columns]; set with kInt8
};

/// The rows of x [rows, depth], fp32 contiguous, in the form that a matrix's kernel reads. Refers
/// to x.
class PHRASEQ_API PreparedRows {
 public:
  PreparedRows(const PackedMatrix& matrix, const at::Tensor& x);
  int64_t rows() const { return rows_; }

 private:
  friend class PackedMatrix;
  const float* x_;
  int64_t rows_, depth_;
  std::unique_ptr<std::byte[]> numbers_;  // the rows in 8 or 16 bits
  std::unique_ptr<float[]> scales_;       // [rows]; set with kInt8
};

}  // namespace phraseq::nn
