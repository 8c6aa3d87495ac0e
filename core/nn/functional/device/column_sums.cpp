#include "core/nn/functional/device/column_sums.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn {
namespace {

at::Tensor run_kernel(const at::Tensor& x) {
  constexpr int64_t kWarpsOfABlock = 4;
  constexpr long long kMostWarps = 2112, kLeastRows = 8;
  long long rows = x.size(0),
            strip_rows = std::max(kLeastRows, (rows + kMostWarps - 1) / kMostWarps);
  int columns = static_cast<int>(x.size(1));
  const uint32_t blocks = gpu::blocks_for(rows, strip_rows * kWarpsOfABlock);
  const at::Tensor partial =  // [warps, columns]
      at::empty({blocks * kWarpsOfABlock, columns}, x.options().dtype(at::kFloat));
  gpu::Arguments arguments;
  arguments.add(x).add(partial).add_value(rows).add_value(columns).add_value(strip_rows);
  gpu::launch(x,
              cuda::column_sums_kernel(gpu::element_of(x.scalar_type())),
              "column_sums",
              {.blocks = blocks, .threads = 32 * kWarpsOfABlock},
              arguments);
  return partial.sum(0);  // [columns]
}

}  // namespace

at::Tensor column_sums(const at::Tensor& x) {
  const at::ScalarType type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  if (!gpu::has_kernels(x) || x.numel() == 0 || !x.is_contiguous())
    return x.sum(0, false, type);  // [columns]
  return run_kernel(x);
}

}  // namespace phraseq::nn
