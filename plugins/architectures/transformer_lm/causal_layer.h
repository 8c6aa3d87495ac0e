#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/nn/transformer/attention_module.h"
#include "core/nn/transformer/feed_forward.h"
#include "core/nn/transformer/residual_norm.h"
#include "core/nn/transformer/transformer_layer.h"

namespace phraseq::transformer_lm {

/// The state of a layer between the steps of a decoding session.
struct CausalLayerState {
  std::unique_ptr<nn::AttentionState> self_attention;
  void select(const std::vector<int64_t>& rows) { self_attention->select(rows); }
};

/// Causal self-attention and feed-forward sub-layers: a Transformer's decoder layer without its
/// attention to an encoder (Vaswani et al. 2017, fig. 1).
class CausalLayer final : public torch::nn::Module {
 public:
  CausalLayer(const nn::LayerOptions& options, std::shared_ptr<nn::SelfAttention> self_attn);

  /// x [tokens, model] → [tokens, model].
  at::Tensor forward(const at::Tensor& x, const PackedTokens& tokens, nn::Context& context) const;
  CausalLayerState start() const { return {self_attn_->start()}; }
  /// One step of all rows, x [rows, model] → [rows, model].
  at::Tensor step(const at::Tensor& x,
                  CausalLayerState& state,
                  const nn::DecodingRows& rows,
                  nn::Context& context) const;
  void initialize(nn::Initializer& initializer);
  double multiply_adds(double tokens) const;

 private:
  at::Tensor feed_forward(const at::Tensor& x, nn::Context& context) const;

  std::shared_ptr<nn::SelfAttention> self_attn_;
  std::shared_ptr<nn::LayerNorm> self_attn_layer_norm_;
  nn::FeedForward feed_forward_;
  std::shared_ptr<nn::LayerNorm> final_layer_norm_;
  nn::NormPlacement placement_;
};

}  // namespace phraseq::transformer_lm
