#pragma once

#include <memory>

#include "core/nn/functional/attention.h"
#include "core/nn/linear_map.h"
#include "core/nn/transformer/attention_module.h"

namespace phraseq::nn {

struct TransformerOptions;

/// The sizes and settings of one multi-head attention.
struct PHRASEQ_API MultiheadAttentionOptions {
  /// The options for a Transformer's attention: in the encoder, in the decoder, and from the
  /// decoder to the encoder.
  static MultiheadAttentionOptions encoder_self(const TransformerOptions& options);
  static MultiheadAttentionOptions decoder_self(const TransformerOptions& options);
  static MultiheadAttentionOptions cross(const TransformerOptions& options);

  int64_t model = 0;      ///< width of the queries and of the result
  int64_t key_model = 0;  ///< width of the rows that keys and values are made from
  int64_t heads = 1;
  double dropout = 0.0;
  bool bias = true;
};

/// The maps of multi-head attention (Vaswani et al. 2017, sec. 3.2.2) under fairseq's names
/// `k_proj`, `v_proj`, `q_proj`, `out_proj`, registered with the module that owns them. Head h is
/// channels h·head_dim to (h+1)·head_dim - 1. The matrices of k, v and q are adjacent, so their
/// maps are computed as one product.
struct PHRASEQ_API AttentionMaps {
  AttentionMaps(torch::nn::Module& owner, const MultiheadAttentionOptions& options);

  /// x [tokens, model] → [tokens, 3 · model].
  at::Tensor keys_values_queries(const at::Tensor& x, Context& context) const;
  /// memory [key tokens, key model] → [key tokens, 2 · model].
  at::Tensor keys_values(const at::Tensor& memory, Context& context) const;
  AttentionOptions attention(bool causal) const;
  double scale() const;  ///< 1 / sqrt(head_dim)
  void initialize(Initializer& initializer);
  /// The multiply-adds of the four maps.
  double multiply_adds(double queries, double keys) const;

  MultiheadAttentionOptions options;
  std::shared_ptr<LinearMap> k_proj, v_proj, q_proj, out_proj;
};

/// softmax(Q Kᵀ / sqrt(head_dim)) V for each head (Vaswani et al. 2017, eq. 1), with queries, keys
/// and values of the same tokens. Shapes as in SelfAttention.
class PHRASEQ_API MultiheadSelfAttention : public SelfAttention {
 public:
  explicit MultiheadSelfAttention(const MultiheadAttentionOptions& options);

  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& tokens,
                     bool causal,
                     Context& context) const override;
  std::unique_ptr<AttentionState> start() const override;
  at::Tensor step(const at::Tensor& x,
                  AttentionState& state,
                  const DecodingRows& rows,
                  Context& context) const override;
  void initialize(Initializer& initializer) override { maps_.initialize(initializer); }
  double multiply_adds(double tokens) const override { return maps_.multiply_adds(tokens, tokens); }

 private:
  void record_weights(const at::Tensor& kvq,
                      const PackedTokens& tokens,
                      const AttentionOptions& attention,
                      Context& context) const;

  AttentionMaps maps_;
};

/// The same with queries from one side, and keys and values from the other. Shapes as in
/// CrossAttention.
class PHRASEQ_API MultiheadCrossAttention : public CrossAttention {
 public:
  explicit MultiheadCrossAttention(const MultiheadAttentionOptions& options);

  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& queries,
                     const at::Tensor& memory,
                     const PackedTokens& keys,
                     Context& context,
                     at::Tensor* weights = nullptr) const override;
  std::unique_ptr<AttentionState> start(const at::Tensor& memory,
                                        const PackedTokens& keys,
                                        Context& context) const override;
  at::Tensor step(const at::Tensor& x,
                  AttentionState& state,
                  const DecodingRows& rows,
                  Context& context,
                  at::Tensor* weights = nullptr) const override;
  void initialize(Initializer& initializer) override { maps_.initialize(initializer); }
  double multiply_adds(double queries, double keys) const override {
    return maps_.multiply_adds(queries, keys);
  }

 protected:
  struct Projected {
    at::Tensor q;   ///< [query tokens, model]
    at::Tensor kv;  ///< [key tokens, 2 · model]
  };
  const AttentionMaps& maps() const { return maps_; }
  Projected project(const at::Tensor& x, const at::Tensor& memory, Context& context) const;
  /// Turns the projected rows into the result of `forward`.
  at::Tensor attend(const Projected& projected,
                    const PackedTokens& queries,
                    const PackedTokens& keys,
                    Context& context,
                    at::Tensor* weights = nullptr) const;

 private:
  void record_weights(const Projected& projected,
                      const PackedTokens& queries,
                      const PackedTokens& keys,
                      Context& context) const;

  AttentionMaps maps_;
};

}  // namespace phraseq::nn
