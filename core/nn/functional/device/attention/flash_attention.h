#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn {

/// Whether flash_attention() computes this attention: on a GPU of compute capability 8.0 or higher,
/// in bf16 or fp16, one kind of query and one kind of key for all heads, a head dimension that is a
/// multiple of 8 and at most 256, no sentence without tokens (without queries only if no gradient
/// is computed), and, if causal, queries and keys of the same sentences. Not with
/// PHRASEQ_FLASH_ATTENTION=0 in the environment. Do not call it if weights are dropped or recorded.
PHRASEQ_API bool flash_attention_applies(const at::Tensor& q,
                                         const at::Tensor& kv,
                                         const SentenceRows& rows,
                                         const AttentionLayout& layout,
                                         bool causal);

/// nn::grouped_attention without dropout by LibTorch's FlashAttention (Dao 2023) over packed rows:
/// no padding, and no weights in memory. Scores and their sums are fp32, the weights of the values
/// are rounded to 16 bits.
PHRASEQ_API at::Tensor flash_attention(const at::Tensor& q,
                                       const at::Tensor& kv,
                                       const SentenceRows& rows,
                                       const AttentionLayout& layout,
                                       bool causal);

}  // namespace phraseq::nn
