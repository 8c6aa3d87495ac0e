#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// The parameters of an embedding besides its tensors.
struct EmbeddingNumbers {
  double scale = 1.0, p = 0.0;
  uint64_t key = 0;
  int64_t padding_id = -1;
  at::ScalarType type = at::kFloat;  ///< type of the result
};

/// dropout(scale · table[ids] + position_table[positions]), [tokens, model], in one pass, without
/// autograd. For tables in fp32 with has_kernels(); ids and positions contiguous.
PHRASEQ_API at::Tensor embed(const at::Tensor& table,
                             const at::Tensor& position_table,
                             const at::Tensor& ids,
                             const at::Tensor& positions,
                             const EmbeddingNumbers& numbers);

/// Adds the rows' gradients dy [tokens, model] to the gradient of a table, [vocab, model] fp32,
/// without atomic operations; rows with padding_id are skipped.
PHRASEQ_API void embed_backward(const at::Tensor& dy,
                                const at::Tensor& ids,
                                const at::Tensor& d_table,
                                const EmbeddingNumbers& numbers);

}  // namespace phraseq::nn::gpu
