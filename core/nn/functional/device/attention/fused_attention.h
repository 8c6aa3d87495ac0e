#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn {

/// nn::grouped_attention by a GPU kernel that stores no weights: packed_attention() or
/// flash_attention(); undefined if neither applies. Key 0 = no dropout of weights.
PHRASEQ_API at::Tensor fused_attention(const at::Tensor& q,
                                       const at::Tensor& kv,
                                       const SentenceRows& rows,
                                       const AttentionLayout& layout,
                                       bool causal,
                                       double dropout = 0.0,
                                       uint64_t key = 0);

}  // namespace phraseq::nn
