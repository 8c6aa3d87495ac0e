#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/nn/transformer/attention_module.h"
#include "core/nn/transformer/feed_forward.h"
#include "core/nn/transformer/residual_norm.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// The sizes and switches of one layer, from the options of its stack.
struct PHRASEQ_API LayerOptions {
  static LayerOptions encoder(const TransformerOptions& options);
  static LayerOptions decoder(const TransformerOptions& options);

  FeedForwardOptions feed_forward;
  ResidualOptions residual;
};

/// The state of a layer of self-attention between the steps of a decoding session.
struct SelfAttentionLayerState {
  std::unique_ptr<AttentionState> self_attention;

  void select(const std::vector<int64_t>& rows) { self_attention->select(rows); }
};

/// Self-attention and feed-forward sub-layers (Vaswani et al. 2017, fig. 1 left): the layer of an
/// encoder and, with causal attention, of a language model.
class PHRASEQ_API SelfAttentionLayer : public torch::nn::Module {
 public:
  SelfAttentionLayer(const LayerOptions& options, std::shared_ptr<SelfAttention> self_attn);
  /// x [tokens, model] → [tokens, model]. `causal`: see SelfAttention.
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& tokens,
                     bool causal,
                     Context& context) const;
  SelfAttentionLayerState start() const { return {self_attn_->start()}; }
  /// One step of causal attention for all rows, x [rows, model] → [rows, model].
  at::Tensor step(const at::Tensor& x,
                  SelfAttentionLayerState& state,
                  const DecodingRows& rows,
                  Context& context) const;
  void initialize(Initializer& initializer);
  double multiply_adds(double tokens) const;

 private:
  at::Tensor feed_forward(const at::Tensor& x, Context& context) const;

  std::shared_ptr<SelfAttention> self_attn_;
  ResidualConnection self_attn_residual_;
  FeedForward feed_forward_;
  ResidualConnection final_residual_;
};

/// The state of a decoder layer between the steps of a decoding session.
struct DecoderLayerState {
  std::unique_ptr<AttentionState> self_attention;
  std::unique_ptr<AttentionState> cross_attention;

  void select(const std::vector<int64_t>& rows) {
    self_attention->select(rows);
    cross_attention->select(rows);
  }
};

/// Causal self-attention, attention to the encoder, feed-forward (Vaswani et al. 2017, fig. 1
/// right). `forward` and `step` run the three sub-layers in sequence; a variant that inserts
/// something between them can call each of them separately.
class PHRASEQ_API TransformerDecoderLayer : public torch::nn::Module {
 public:
  TransformerDecoderLayer(const LayerOptions& options,
                          std::shared_ptr<SelfAttention> self_attn,
                          std::shared_ptr<CrossAttention> encoder_attn);

  /// x [target tokens, model], memory [source tokens, encoder model] → [target tokens, model], like
  /// the three functions below. `cross_weights`: see nn::cross_attention.
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& target,
                     const at::Tensor& memory,
                     const PackedTokens& source,
                     Context& context,
                     at::Tensor* cross_weights = nullptr) const;
  at::Tensor attend_to_target(const at::Tensor& x,
                              const PackedTokens& target,
                              Context& context,
                              bool causal = true) const;
  at::Tensor attend_to_source(const at::Tensor& x,
                              const PackedTokens& target,
                              const at::Tensor& memory,
                              const PackedTokens& source,
                              Context& context,
                              at::Tensor* cross_weights = nullptr) const;
  at::Tensor feed_forward(const at::Tensor& x, Context& context) const;

  DecoderLayerState start(const at::Tensor& memory,
                          const PackedTokens& source,
                          Context& context) const;
  /// One step of all rows; x [rows, model] → [rows, model], like the two functions below.
  at::Tensor step(const at::Tensor& x,
                  DecoderLayerState& state,
                  const DecodingRows& rows,
                  Context& context,
                  at::Tensor* cross_weights = nullptr) const;
  at::Tensor step_to_target(const at::Tensor& x,
                            DecoderLayerState& state,
                            const DecodingRows& rows,
                            Context& context) const;
  at::Tensor step_to_source(const at::Tensor& x,
                            DecoderLayerState& state,
                            const DecodingRows& rows,
                            Context& context,
                            at::Tensor* cross_weights = nullptr) const;

  void initialize(Initializer& initializer);
  double multiply_adds(double source_tokens, double target_tokens) const;

 private:
  std::shared_ptr<SelfAttention> self_attn_;
  ResidualConnection self_attn_residual_;
  std::shared_ptr<CrossAttention> encoder_attn_;
  ResidualConnection encoder_attn_residual_;
  FeedForward feed_forward_;
  ResidualConnection final_residual_;
};

}  // namespace phraseq::nn
