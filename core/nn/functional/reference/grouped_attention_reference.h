#pragma once

#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn::reference {

/// Computes nn::grouped_attention, with the same shapes, by means of ATen's differentiable
/// operators on padded sentences, for devices without phraseq's kernels. Dropout takes its key
/// instead of a context.
PHRASEQ_API at::Tensor grouped_attention(const at::Tensor& q,
                                         const at::Tensor& kv,
                                         const SentenceRows& rows,
                                         const AttentionLayout& layout,
                                         bool causal,
                                         double dropout,
                                         uint64_t key,
                                         at::Tensor* weights);

}  // namespace phraseq::nn::reference
