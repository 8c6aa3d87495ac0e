#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn::gpu {

/// Whether the kernels of attention on tensor cores support these matrices: in bf16 or fp16, if
/// has_kernels(q), on a GPU of compute capability 8.0 or higher.
bool have_tensor_cores(const at::Tensor& q, const at::Tensor& kv);
/// Whether their tiles divide a head: a multiple of 16 columns, at most 128.
bool is_head_dim_of_tiles(int64_t head_dim);

/// Whether packed_attention() computes this attention: if has_kernels(q), in bf16 or fp16, with
/// plain layouts and a head dimension that is a multiple of 16 and at most 128, sentences of at
/// most 256 tokens on both sides, none of which lacks keys, and, if causal, queries and keys of the
/// same sentences.
PHRASEQ_API bool packed_attention_applies(const at::Tensor& q,
                                          const at::Tensor& kv,
                                          const SentenceRows& rows,
                                          const AttentionLayout& layout,
                                          bool causal);

/// nn::grouped_attention of packed sentences by attention.cu, without padding, with dropout of
/// weights at rate `p` if the key is not 0; the masks are the same as on the CPU. Scores and their
/// sums are fp32; weights and the gradients of scores are rounded to 16 bits before products.
PHRASEQ_API at::Tensor packed_attention(const at::Tensor& q,
                                        const at::Tensor& kv,
                                        const SentenceRows& rows,
                                        const AttentionLayout& layout,
                                        bool causal,
                                        double p,
                                        uint64_t key);

}  // namespace phraseq::nn::gpu
