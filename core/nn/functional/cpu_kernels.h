#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include "core/nn/context.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/nn/functional/sum_type.h"
#include "core/nn/kernels/kernels.h"
#include "core/nn/kernels/random_bits.h"

/// The interface between tensors and the kernels: element types, dropout keys, division of rows
/// among threads.
namespace phraseq::nn::cpu {

/// Whether the kernels support x and activations of `type`. Other devices and fp16 use ATen's
/// operators.
inline bool has_kernels(const at::Tensor& x, at::ScalarType type) {
  return x.is_cpu() && type != at::kHalf && !operators_only();
}
inline bool has_kernels(const at::Tensor& x) { return has_kernels(x, x.scalar_type()); }

/// The options of a tensor of sums over x: its device and the type of its sums.
inline at::TensorOptions sum_options(const at::Tensor& x) {
  return x.options().dtype(sum_type(x.scalar_type()));
}

/// Calls `work` with a null pointer to the kernels' element type for `type`.
template <typename Work>
void for_type(at::ScalarType type, Work&& work) {
  switch (type) {
    case at::kDouble:
      return work(static_cast<double*>(nullptr));
    case at::kBFloat16:
      return work(static_cast<kernels::Bfloat16*>(nullptr));
    default:
      TORCH_CHECK(type == at::kFloat, "activations must be fp32, bf16 or fp64, not ", type);
      return work(static_cast<float*>(nullptr));
  }
}

/// The kernels for activations of type T on this processor.
template <typename T>
const kernels::Kernels<T>& loops() {
  return kernels::kernels<T>(kernels::best_level());
}

/// A tensor's elements; null if it is undefined. The kernels' Bfloat16 has at::BFloat16's layout.
template <typename T>
const T* data(const at::Tensor& x) {
  return x.defined() ? static_cast<const T*>(x.const_data_ptr()) : nullptr;
}
template <typename T>
T* mutable_data(const at::Tensor& x) {
  return x.defined() ? static_cast<T*>(x.mutable_data_ptr()) : nullptr;
}

/// An uninitialized tensor on the CPU. It bypasses ATen's dispatcher, which takes longer than many
/// operators of a decoding step.
inline at::Tensor new_tensor(at::IntArrayRef sizes, at::ScalarType type) {
  return at::detail::empty_cpu(sizes, type);
}

/// The key of a draw, or 0 if nothing is dropped; the draw is then not counted.
inline uint64_t dropout_key(double p, Context& context) {
  return p > 0.0 ? context.next_dropout_key() : 0;
}

/// The parameters of dropout with probability p in the kernels; key 0 = nothing is dropped.
inline kernels::Dropout make_dropout(double p, uint64_t key) {
  if (p == 0.0)
    key = 0;
  return {key, kernels::dropout_threshold(p), 1.0 / (1.0 - p)};
}

/// Uninitialized memory for one thread, aligned to a cache line.
template <typename S>
class ThreadScratch {
 public:
  explicit ThreadScratch(int64_t elements)
      : memory_(std::malloc(static_cast<size_t>(elements) * sizeof(S) + kLine)) {
    if (!memory_)
      throw std::bad_alloc();
  }
  S* get() const {
    const auto address = reinterpret_cast<uintptr_t>(memory_.get());
    return reinterpret_cast<S*>((address + kLine - 1) / kLine * kLine);
  }

 private:
  static constexpr uintptr_t kLine = 64;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;  // malloc caches small blocks, aligned_alloc does not
};

/// The minimum number of elements per thread in element-wise work on rows.
inline constexpr int64_t kGrainElements = 16384;

/// The minimum number of rows per thread: about kGrainElements elements.
inline int64_t row_grain(int64_t columns) {
  return std::max<int64_t>(1, kGrainElements / std::max<int64_t>(columns, 1));
}

/// Calls work(first, last) over all rows, on as many threads as are worthwhile.
template <typename Work>
void over_rows(int64_t rows, int64_t columns, const Work& work) {
  at::parallel_for(0, rows, row_grain(columns), work);
}
template <typename Work>
void over_rows(const at::Tensor& rows, const Work& work) {
  const int64_t columns = rows.size(-1);
  over_rows(columns == 0 ? 0 : rows.numel() / columns, columns, work);
}

/// The maximum number of partial sums in one sum over rows, and the minimum number of rows in each.
/// The blocks limit how many threads share the work, but do not depend on the number of threads,
/// and neither does the order of addition.
inline constexpr int64_t kMaxSumBlocks = 16;
inline constexpr int64_t kMinSumRows = 64;

/// The minimum number of elements per thread in add_to.
inline constexpr int64_t kAddGrain = 65536;

/// Sums over rows in an order that does not depend on the number of threads: `work(first, last,
/// partial)` adds its rows to its own partial sum [columns] (zero at first); the partial sums of up
/// to kMaxSumBlocks blocks of rows are added to `sums` in order.
template <typename S, typename Work>
void sum_over_rows(int64_t rows, int64_t columns, S* sums, const Work& work) {
  const int64_t blocks = std::clamp<int64_t>(rows / kMinSumRows, 1, kMaxSumBlocks);
  const int64_t block = (rows + blocks - 1) / blocks;
  const ThreadScratch<S> partials(blocks * columns);
  std::fill_n(partials.get(), blocks * columns, S{0});
  at::parallel_for(0,
                   blocks,
                   std::max<int64_t>(1, row_grain(columns) / std::max<int64_t>(block, 1)),
                   [&](int64_t first, int64_t last) {
                     for (int64_t b = first; b < last; ++b) {
                       work(std::min(b * block, rows),
                            std::min((b + 1) * block, rows),
                            partials.get() + b * columns);
                     }
                   });
  for (int64_t b = 0; b < blocks; ++b) {
    for (int64_t i = 0; i < columns; ++i) sums[i] += partials.get()[b * columns + i];
  }
}

/// sum += x, element by element, x of any type.
inline void add_to(const at::Tensor& sum, const at::Tensor& x) {
  for_type(x.scalar_type(), [&]<typename T>(T*) {
    using S = kernels::Sum<T>;
    at::parallel_for(0, x.numel(), kAddGrain, [&](int64_t first, int64_t last) {
      loops<T>().column_sums(
          data<T>(x) + first, mutable_data<S>(sum) + first, {0, 1, last - first});
    });
  });
}

}  // namespace phraseq::nn::cpu
