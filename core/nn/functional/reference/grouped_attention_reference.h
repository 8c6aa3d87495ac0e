#pragma once

#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn::reference {

/// nn::grouped_attention, with its shapes, of ATen's operators, for devices without kernels of
/// their own.
PHRASEQ_API at::Tensor grouped_attention(const at::Tensor& q,
                                         const at::Tensor& kv,
                                         const SentenceRows& rows,
                                         const AttentionLayout& layout,
                                         bool causal,
                                         double dropout,
                                         uint64_t key,
                                         at::Tensor* weights);

}  // namespace phraseq::nn::reference
