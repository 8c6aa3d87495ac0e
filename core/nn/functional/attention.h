#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// The settings of one scaled dot-product attention.
struct AttentionOptions {
  int64_t heads = 1;
  double scale = 1.0;  ///< usually 1 / sqrt(head_dim)
  double dropout = 0.0;
  bool causal = false;  ///< query i sees keys 0..i of its sentence
};

/// Computes the scaled dot-product attention of all heads over packed rows (Vaswani et al. 2017,
/// eq. 1): per sentence and head softmax(Q Kᵀ · scale) V, with dropout on the weights. kvq [tokens,
/// 3 · model]: columns K, V, Q. Returns [tokens, model].
PHRASEQ_API at::Tensor self_attention(const at::Tensor& kvq,
                                      const PackedTokens& tokens,
                                      const AttentionOptions& options,
                                      Context& context);

/// Computes the same attention of the rows of one stack to those of another: q [query tokens,
/// model], kv [key tokens, 2 · model]: columns K, V. The result for a sentence without keys is
/// zero. `weights`, if given, receives the weights averaged over heads, [query tokens, max key
/// length], fp32, not differentiable.
PHRASEQ_API at::Tensor cross_attention(const at::Tensor& q,
                                       const at::Tensor& kv,
                                       const PackedTokens& queries,
                                       const PackedTokens& keys,
                                       const AttentionOptions& options,
                                       Context& context,
                                       at::Tensor* weights = nullptr);

}  // namespace phraseq::nn
