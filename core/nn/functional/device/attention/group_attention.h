#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn::gpu {

/// nn::grouped_attention of packed sentences by grouped_attention.cu, without padding, with dropout
/// of weights at rate `p` if the key is not 0; the masks are the same as on the CPU. Windows are
/// summed first, in 16 bits. Scores and their sums are fp32; weights and the gradients of scores
/// are rounded to 16 bits before products.
///
/// Returns an undefined tensor unless has_kernels(q), in bf16 or fp16 on a GPU of compute
/// capability 8.0 or higher, with a head dimension that is a multiple of 16 and at most 128, up to
/// 4 kinds of keys and 2 kinds of queries per group of heads, columns that are multiples of 8, and,
/// if causal, queries and keys of the same sentences.
at::Tensor group_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const SentenceRows& rows,
                           const AttentionLayout& layout,
                           bool causal,
                           double p,
                           uint64_t key);

}  // namespace phraseq::nn::gpu
