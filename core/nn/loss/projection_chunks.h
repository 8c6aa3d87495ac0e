#pragma once

#include <algorithm>
#include <cstdint>

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "core/nn/context.h"

namespace phraseq::nn {

/// Logits that are held at a time on the CPU, and elsewhere.
inline constexpr int64_t kChunkLogits = int64_t{1} << 21;
inline constexpr int64_t kDeviceChunkLogits = int64_t{1} << 26;

inline int64_t rows_of_a_chunk(const at::Tensor& hidden, int64_t vocabulary) {
  const int64_t logits = hidden.is_cpu() ? kChunkLogits : kDeviceChunkLogits;
  return std::max<int64_t>(16, logits / std::max<int64_t>(vocabulary, 1));
}

/// What a gradient of the logits that is computed in the forward pass is multiplied by, so that it
/// does not vanish in fp16.
inline double scale_of_gradient(const at::Tensor& hidden, const Context& context) {
  return hidden.scalar_type() == at::kHalf ? context.loss_scale() : 1.0;
}

/// Calls work(hidden rows [rows, model], first row, logits [rows, vocab]) chunk by chunk; the
/// logits' memory is used again. hidden [all rows, model], weight [vocab, model].
template <typename Work>
void over_chunks(const at::Tensor& hidden, const at::Tensor& weight, const Work& work) {
  const int64_t step = std::min(rows_of_a_chunk(hidden, weight.size(0)), hidden.size(0));
  const at::Tensor memory = at::empty({step, weight.size(0)}, hidden.options());
  for (int64_t first = 0; first < hidden.size(0); first += step) {
    const int64_t rows = std::min(step, hidden.size(0) - first);
    const at::Tensor h = hidden.narrow(0, first, rows);  // [rows, model]
    at::Tensor logits = memory.narrow(0, 0, rows);       // [rows, vocab]
    at::mm_out(logits, h, weight.t());                   // [rows, vocab]
    work(h, first, logits);
  }
}

}  // namespace phraseq::nn
