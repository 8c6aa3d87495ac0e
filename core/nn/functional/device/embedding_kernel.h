#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn::gpu {

/// The numbers of an embedding beside its tensors.
struct EmbeddingNumbers {
  double scale = 1.0, p = 0.0;
  uint64_t key = 0;
  int64_t padding_id = -1;
  at::ScalarType type = at::kFloat;  ///< of the result
};

/// dropout(scale · table[ids] + position_table[positions]), [tokens, model], in one pass; its
/// gradients are added up without atomic operations. For tables in fp32 with has_kernels().
PHRASEQ_API at::Tensor embed(const at::Tensor& ids,
                             const at::Tensor& positions,
                             const at::Tensor& table,
                             const at::Tensor& position_table,
                             const EmbeddingNumbers& numbers,
                             const Context& context);

}  // namespace phraseq::nn::gpu
