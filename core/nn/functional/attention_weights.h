#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/functional/attention.h"

namespace phraseq::nn {

/// The weights of an attention, for a recording: softmax(Q Kᵀ · scale) of every head, fp32 (fp64),
/// without dropout. q [query tokens, model], k [key tokens, model]; returns [1, heads, query
/// tokens, 1, longest key sentence], zeros after a sentence's keys and, if causal, after the query.
PHRASEQ_API at::Tensor attention_weights(const at::Tensor& q,
                                         const at::Tensor& k,
                                         const PackedTokens& queries,
                                         const PackedTokens& keys,
                                         const AttentionOptions& options);

}  // namespace phraseq::nn
