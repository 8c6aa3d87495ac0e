#pragma once

#include <algorithm>
#include <cstdint>

#include <ATen/ops/empty.h>

#include "core/nn/context.h"
#include "core/nn/functional/matrix_product.h"

namespace phraseq::nn {

/// The number of logits in memory at a time on the CPU, and their bytes on other devices.
inline constexpr int64_t kChunkLogits = int64_t{1} << 25;
inline constexpr int64_t kDeviceChunkBytes = int64_t{1} << 28;

/// The maximum number of rows in a chunk on the CPU. Each chunk reads the weight twice and adds to
/// its gradient once. With a weight of 32,000 x 512 in bf16, this takes twice as long as the
/// products themselves with 65 rows, and a quarter as long with 1,024 rows (one core of an AMD
/// EPYC, family 25). More rows gain nothing and need more memory.
inline constexpr int64_t kMaxChunkRows = 1024;

/// The minimum number of rows in a chunk: with a very large vocabulary such a chunk may exceed the
/// limit on logits.
inline constexpr int64_t kMinChunkRows = 16;

/// `held`: how many numbers per logit are in memory while a chunk is processed.
inline int64_t rows_of_a_chunk(const at::Tensor& hidden, int64_t vocabulary, int64_t held = 1) {
  const int64_t columns = std::max<int64_t>(vocabulary, 1) * held;
  const auto size = static_cast<int64_t>(hidden.element_size());
  const int64_t rows = hidden.is_cpu() ? std::min(kMaxChunkRows, kChunkLogits / columns)
                                       : kDeviceChunkBytes / (size * columns);
  return std::max(kMinChunkRows, rows);
}

/// The factor for a gradient of the logits that is computed in the forward pass, which keeps it
/// from vanishing in fp16.
inline double scale_of_gradient(const at::Tensor& hidden, const Context& context) {
  return hidden.scalar_type() == at::kHalf ? context.loss_scale() : 1.0;
}

/// Calls work(hidden rows [rows, model], first row, logits [rows, vocab]) chunk by chunk; the
/// memory of the logits is reused. hidden [all rows, model], weight [vocab, model].
template <typename Work>
void over_chunks(const at::Tensor& hidden, const at::Tensor& weight, const Work& work) {
  const int64_t step = std::min(rows_of_a_chunk(hidden, weight.size(0)), hidden.size(0));
  const at::Tensor memory = at::empty({step, weight.size(0)}, hidden.options());
  for (int64_t first = 0; first < hidden.size(0); first += step) {
    const int64_t rows = std::min(step, hidden.size(0) - first);
    const at::Tensor h = hidden.narrow(0, first, rows);   // [rows, model]
    const at::Tensor logits = memory.narrow(0, 0, rows);  // [rows, vocab]
    matrix_product_into(logits, h, weight.t());
    work(h, first, logits);
  }
}

}  // namespace phraseq::nn
