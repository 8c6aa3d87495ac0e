#include "core/nn/packed/packed_matrix.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/packed/packed_loops.h"
#include "core/nn/packed/packed_memory.h"

namespace phraseq::nn {
namespace {

const kernels::PackedKernels<float>& fp32_loops() { return packed_loops(kernels::best_level()); }
const kernels::NarrowKernels<float>& narrow_loops(Quantization kind) {
  static const kernels::NarrowKernels<float>& int8 = *int8_variant(kernels::best_level()).loops;
  static const kernels::NarrowKernels<float>& bf16 = *bf16_variant(kernels::best_level()).loops;
  return kind == Quantization::kInt8 ? int8 : bf16;
}

int64_t panel_columns_of(Quantization kind) {
  return kind == Quantization::kNone ? fp32_loops().panel_columns
                                     : narrow_loops(kind).panel_columns;
}

/// The least number of panels per thread: about 64k multiply-adds.
int64_t panel_grain(int64_t rows, int64_t depth, int64_t panel_columns) {
  return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, rows * depth * panel_columns));
}

int64_t panel_bytes_of(Quantization kind, int64_t depth) {
  return kind == Quantization::kNone
             ? fp32_loops().panel_columns * depth * static_cast<int64_t>(sizeof(float))
             : narrow_loops(kind).panel_bytes(depth);
}

}  // namespace

PackedMatrix::PackedMatrix(const at::Tensor& weight, Quantization kind, PackedMemory* memory)
    : kind_(kind),
      columns_(weight.size(0)),
      depth_(weight.size(1)),
      panel_columns_(panel_columns_of(kind)) {
  const kernels::MatrixToPack<float> matrix{
      weight.const_data_ptr<float>(), weight.stride(0), weight.stride(1), columns_, depth_};
  const int64_t panels = (columns_ + panel_columns_ - 1) / panel_columns_;
  const int64_t grain = panel_grain(1, depth_, panel_columns_);
  const int64_t bytes = panels * panel_bytes_of(kind, depth_);
  panels_ = memory ? memory->take(bytes) : at::empty({bytes}, at::kByte);
  void* data = panels_.mutable_data_ptr();
  if (kind == Quantization::kNone) {
    at::parallel_for(0, panels, grain, [&](int64_t first, int64_t last) {
      fp32_loops().pack(matrix, first, last, static_cast<float*>(data));
    });
    return;
  }
  scales_ = at::empty({columns_}, at::kFloat);
  at::parallel_for(0, panels, grain, [&](int64_t first, int64_t last) {
    narrow_loops(kind).pack(
        matrix, first, last, static_cast<int8_t*>(data), scales_.mutable_data_ptr<float>());
  });
}

at::Tensor PackedMatrix::multiply(const at::Tensor& x, const float* bias, bool relu) const {
  const PreparedRows prepared(*this, x);
  const int64_t rows = x.size(0);
  const at::Tensor y = cpu::new_tensor({rows, columns_}, at::kFloat);
  const ProductPlace place{y.mutable_data_ptr<float>(), columns_};
  at::parallel_for(0,
                   (columns_ + panel_columns_ - 1) / panel_columns_,
                   panel_grain(rows, depth_, panel_columns_),
                   [&](int64_t first, int64_t last) {
                     multiply_panels(prepared, 0, rows, first, last, bias, relu, place);
                   });
  return y;
}

void PackedMatrix::multiply_columns(const PreparedRows& x,
                                    int64_t first_row,
                                    int64_t last_row,
                                    int64_t first,
                                    int64_t last,
                                    const float* bias,
                                    const ProductPlace& place) const {
  multiply_panels(x,
                  first_row,
                  last_row,
                  first / panel_columns_,
                  (last + panel_columns_ - 1) / panel_columns_,
                  bias,
                  /*relu=*/false,
                  place);
}

void PackedMatrix::multiply_panels(const PreparedRows& x,
                                   int64_t first_row,
                                   int64_t last_row,
                                   int64_t first_panel,
                                   int64_t last_panel,
                                   const float* bias,
                                   bool relu,
                                   const ProductPlace& place) const {
  const kernels::ProductTask<float> task{
      last_row - first_row, columns_, depth_, bias, relu, place.data, place.step};
  const void* panels = panels_.const_data_ptr();
  if (kind_ == Quantization::kNone) {
    fp32_loops().product(
        {task, x.x_ + first_row * depth_, depth_, static_cast<const float*>(panels)},
        first_panel,
        last_panel);
    return;
  }
  const auto& loops = narrow_loops(kind_);
  loops.product({task,
                 x.numbers_.get() + first_row * loops.row_bytes(depth_),
                 x.scales_.get() + first_row,
                 static_cast<const int8_t*>(panels),
                 scales_.const_data_ptr<float>()},
                first_panel,
                last_panel);
}

PreparedRows::PreparedRows(const PackedMatrix& matrix, const at::Tensor& x)
    : x_(x.const_data_ptr<float>()), rows_(x.size(0)), depth_(matrix.depth()) {
  if (matrix.kind() == Quantization::kNone)
    return;
  const auto& loops = narrow_loops(matrix.kind());
  numbers_ = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<size_t>(rows_ * loops.row_bytes(depth_)));
  scales_ = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(rows_));
  loops.quantize(x_, depth_, rows_, depth_, numbers_.get(), scales_.get());
}

}  // namespace phraseq::nn
