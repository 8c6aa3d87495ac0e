#include "core/nn/functional/linear/tile_product.h"

#include <ATen/Parallel.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/packed/packed_loops.h"

namespace phraseq::nn {
namespace {

/// The minimum number of rows or columns per thread.
constexpr int64_t kGrain = 64;

bool has_lines(const at::Tensor& x) { return x.stride(0) == 1 || x.stride(1) == 1; }

kernels::Bf16Matrix view(const at::Tensor& x) {
  return {cpu::data<uint16_t>(x), x.stride(0), x.stride(1)};
}

const kernels::TileKernels* loops() { return tile_loops(kernels::best_level()); }

/// The part of a product that has the given rows and columns.
kernels::TileProduct part_of(
    kernels::TileProduct task, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  task.a.data += row * task.a.row_step;
  task.b.data += column * task.b.column_step;
  if (task.sums != nullptr)
    task.sums += row * task.step + column;
  if (task.y != nullptr)
    task.y += row * task.y_step + column;
  task.rows = rows;
  task.columns = columns;
  return task;
}

/// Divides the longer side among threads.
void run(const kernels::TileProduct& task) {
  const bool by_rows = task.rows >= task.columns;
  at::parallel_for(0, by_rows ? task.rows : task.columns, kGrain, [&](int64_t first, int64_t last) {
    const auto part = by_rows ? part_of(task, first, last - first, 0, task.columns)
                              : part_of(task, 0, task.rows, first, last - first);
    const at::Tensor scratch = cpu::new_tensor({loops()->scratch_bytes(part)}, at::kByte);
    loops()->multiply(part, scratch.mutable_data_ptr());
  });
}

kernels::TileProduct task_of(const at::Tensor& a, const at::Tensor& b) {
  kernels::TileProduct task{};
  task.rows = a.size(0);
  task.columns = b.size(1);
  task.depth = a.size(1);
  task.a = view(a);
  task.b = view(b);
  return task;
}

}  // namespace

bool tile_product_applies(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == at::kBFloat16 && b.scalar_type() == at::kBFloat16 &&
         cpu::has_kernels(a) && a.numel() > 0 && b.numel() > 0 && has_lines(a) && has_lines(b) &&
         loops() != nullptr;
}

void tile_product(const at::Tensor& y, const at::Tensor& a, const at::Tensor& b) {
  kernels::TileProduct task = task_of(a, b);
  at::Tensor sums;
  if (loops()->parts(task.depth) > 1)
    sums = cpu::new_tensor({task.rows, task.columns}, at::kFloat);
  task.sums = cpu::mutable_data<float>(sums);
  task.step = task.columns;
  task.y = cpu::mutable_data<uint16_t>(y);
  task.y_step = y.stride(0);
  run(task);
}

void add_tile_product(const at::Tensor& sum, const at::Tensor& a, const at::Tensor& b) {
  kernels::TileProduct task = task_of(a, b);
  task.sums = cpu::mutable_data<float>(sum);
  task.step = sum.stride(0);
  run(task);
}

}  // namespace phraseq::nn
