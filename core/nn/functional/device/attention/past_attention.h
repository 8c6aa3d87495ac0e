#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/incremental.h"

namespace phraseq::nn::gpu {

/// The blocks of a SelfAttentionCache, each [steps, rows at that time, 2 · model]; in the last one,
/// some steps may not be used yet.
using PastBlocks = std::vector<at::Tensor>;

/// Whether there is a kernel for attention of kvq [rows, 3 · model] to a past in `blocks` blocks:
/// on a GPU, in fp32, bf16 or fp16, for head dimensions that are multiples of 8 and up to 32
/// blocks.
PHRASEQ_API bool past_attention_applies(const at::Tensor& kvq, int64_t heads, size_t blocks);

/// SelfAttentionCache::append_and_attend in one pass over the keys and values where they are:
/// [rows, model]. The last block must have room for the newest step. Without gradients.
PHRASEQ_API at::Tensor past_attention(const at::Tensor& kvq,
                                      const PastBlocks& blocks,
                                      const Ancestry& ancestry,
                                      int64_t heads,
                                      double scale);

}  // namespace phraseq::nn::gpu
