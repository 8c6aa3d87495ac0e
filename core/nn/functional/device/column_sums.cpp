#include "core/nn/functional/device/column_sums.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/sum_type.h"

namespace phraseq::nn {
namespace {

/// The struct ColumnStrips of column_sums.cu.
struct ColumnStrips {
  long long rows = 0, strip_rows = 0;
  int columns = 0;
};

/// The division of a matrix among warps, and the memory for the sums of their strips.
struct Division {
  static constexpr int64_t kWarpsOfABlock = 4;
  static constexpr int64_t kChunk = 256;

  ColumnStrips strips;
  uint32_t blocks, chunks;
  at::Tensor partial;  // [warps, columns]

  explicit Division(const at::Tensor& x) {
    // The maximum number of warps occupies every GPU, and is so small that adding their sums takes
    // little time.
    constexpr int64_t kMaxWarps = 2112, kMinRows = 8;
    chunks = gpu::blocks_for(x.size(1), kChunk);
    const int64_t most = std::max<int64_t>(kMaxWarps / chunks, 1);
    strips = {
        x.size(0), std::max(kMinRows, (x.size(0) + most - 1) / most), static_cast<int>(x.size(1))};
    blocks = gpu::blocks_for(strips.rows, strips.strip_rows * kWarpsOfABlock);
    partial = at::empty({blocks * kWarpsOfABlock, strips.columns}, x.options().dtype(at::kFloat));
  }

  void launch(const at::Tensor& x, const char* function, gpu::Arguments& arguments) {
    arguments.add_value(strips);
    gpu::launch(x,
                cuda::column_sums_kernel(gpu::element_of(x.scalar_type())),
                function,
                {.blocks = blocks, .blocks_y = chunks, .threads = 32 * kWarpsOfABlock},
                arguments);
  }
  at::Tensor sums() const { return partial.sum(0); }  // [columns]
};

}  // namespace

at::Tensor column_sums(const at::Tensor& x) {
  const at::ScalarType type = sum_type(x);
  if (!gpu::has_kernels(x) || x.numel() == 0 || !x.is_contiguous())
    return x.sum(0, false, type);  // [columns]
  Division division(x);
  gpu::Arguments arguments;
  arguments.add(x).add(division.partial);
  division.launch(x, "column_sums", arguments);
  return division.sums();
}

SummedGradient gpu::relu_dropout_backward(const at::Tensor& dy, const at::Tensor& y, double p) {
  const at::Tensor dx = at::empty(y.sizes(), y.options());  // [rows, columns]
  if (y.numel() == 0)
    return {dx, at::zeros({y.size(1)}, y.options().dtype(at::kFloat))};
  Division division(y);
  auto kept = static_cast<float>(1.0 / (1.0 - p));
  Arguments arguments;
  arguments.add(dy).add(y).add(dx).add(division.partial).add_value(kept);
  division.launch(y, "relu_dropout_backward", arguments);
  return {dx, division.sums()};
}

}  // namespace phraseq::nn
