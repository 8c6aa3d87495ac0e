#pragma once

#include <cstdint>
#include <memory>

#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/multihead_attention.h"
#include "plugins/architectures/transformer_align/options.h"

namespace phraseq::transformer_align {

/// Multi-head attention to the source whose `weights`, if requested, are the mean of only the first
/// heads, softmax(Q Kᵀ / √head_dim) before dropout, and differentiable. The result is that of
/// nn::MultiheadCrossAttention.
class AlignmentAttention final : public nn::MultiheadCrossAttention {
 public:
  AlignmentAttention(const nn::MultiheadAttentionOptions& options, int64_t alignment_heads);

  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& queries,
                     const at::Tensor& memory,
                     const PackedTokens& keys,
                     nn::Context& context,
                     at::Tensor* weights = nullptr) const override;

 private:
  /// q [query tokens, model], k [key tokens, model] → [query tokens, longest key sentence], fp32
  /// (fp64); zeros after a sentence's keys.
  at::Tensor mean_weights(const at::Tensor& q,
                          const at::Tensor& k,
                          const PackedTokens& queries,
                          const PackedTokens& keys) const;

  int64_t alignment_heads_;
};

/// AlignmentAttention in the alignment layer, multi-head attention everywhere else.
class AlignmentFactory final : public nn::AttentionFactory {
 public:
  explicit AlignmentFactory(const TransformerAlignOptions& options);
  std::shared_ptr<nn::CrossAttention> cross(const nn::TransformerOptions& options,
                                            int64_t layer) const override;

 private:
  int64_t layer_;  ///< its number among all layers, including omitted ones
  int64_t heads_;
};

}  // namespace phraseq::transformer_align
