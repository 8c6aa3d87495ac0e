#include "core/distributed/row_sum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ATen/ops/zeros.h>

namespace phraseq {
namespace {

constexpr int64_t kSlice = int64_t{1} << 14;  // elements that ATen works on without threads

/// Calls `work(start, length)` for slices of `elements`. On a CPU they are so short that ATen does
/// not start threads: the cores belong to the backward pass that runs meanwhile.
template <class Work>
void in_slices(int64_t elements, at::Device device, const Work& work) {
  const int64_t most = device.is_cpu() ? kSlice : elements;
  for (int64_t start = 0; start < elements; start += most)
    work(start, std::min(most, elements - start));
}

/// The sum of the rows [size, elements] that contribute, in the order of ranks, of the type `type`:
/// [elements].
at::Tensor sum_of_rows(const at::Tensor& rows,
                       const std::vector<bool>& contributes,
                       at::ScalarType type) {
  at::Tensor sum;  // [elements]
  for (size_t rank = 0; rank < contributes.size(); ++rank) {
    if (!contributes[rank])
      continue;
    const at::Tensor row = rows[static_cast<int64_t>(rank)].to(type);  // [elements]
    sum = sum.defined() ? sum.add_(row) : row.clone();
  }
  return sum.defined() ? sum : at::zeros({rows.size(1)}, rows.options().dtype(type));
}

}  // namespace

void copy_in_slices(const at::Tensor& to, const at::Tensor& from) {
  const at::Device device = from.is_cpu() ? to.device() : from.device();
  in_slices(to.numel(), device, [&](int64_t start, int64_t length) {
    to.narrow(0, start, length).copy_(from.narrow(0, start, length));
  });
}

void sum_rows(const at::Tensor& rows,
              const std::vector<bool>& contributes,
              at::ScalarType type,
              const at::Tensor& sum) {
  in_slices(sum.numel(), sum.device(), [&](int64_t start, int64_t length) {
    sum.narrow(0, start, length)
        .copy_(sum_of_rows(rows.narrow(1, start, length), contributes, type));
  });
}

}  // namespace phraseq
