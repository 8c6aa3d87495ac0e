#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/nn/feed_forward.h"
#include "core/nn/incremental.h"
#include "core/nn/multihead_attention.h"
#include "core/nn/residual_norm.h"
#include "core/nn/transformer_options.h"

namespace phraseq::nn {

/// Sizes and switches of one layer, taken from a stack's half of the options.
struct PHRASEQ_API LayerOptions {
  static LayerOptions encoder(const TransformerOptions& options);
  static LayerOptions decoder(const TransformerOptions& options);

  MultiheadAttentionOptions self_attention;
  MultiheadAttentionOptions cross_attention;
  FeedForwardOptions feed_forward;
  NormPlacement placement;
  double norm_eps = 1e-6;
};

/// Self-attention and feed-forward sub-layers (Vaswani et al. 2017, fig. 1 left).
class PHRASEQ_API TransformerEncoderLayer : public torch::nn::Module {
 public:
  explicit TransformerEncoderLayer(const LayerOptions& options);
  /// x [tokens, model] → [tokens, model].
  at::Tensor forward(const at::Tensor& x, const PackedTokens& source, Context& context) const;
  void initialise(Initialiser& initialiser);

 private:
  std::shared_ptr<MultiheadAttention> self_attn_;
  std::shared_ptr<LayerNorm> self_attn_layer_norm_;
  FeedForward feed_forward_;
  std::shared_ptr<LayerNorm> final_layer_norm_;
  NormPlacement placement_;
};

/// What a decoder layer keeps between steps of a decoding session.
struct DecoderLayerState {
  SelfAttentionCache self_attention;
  at::Tensor memory_kv;  ///< [source tokens, 2 · model], once a sentence
};

/// Which source sentence each decoding row belongs to, and where its rows are.
struct DecodingRows {
  Ancestry ancestry;
  std::vector<int64_t> source_offsets;
  std::vector<int64_t> sentence_of_row;
};

/// Causal self-attention, attention to the encoder, feed-forward (Vaswani et al. 2017, fig. 1
/// right).
class PHRASEQ_API TransformerDecoderLayer : public torch::nn::Module {
 public:
  explicit TransformerDecoderLayer(const LayerOptions& options);

  /// x [target tokens, model], memory [source tokens, encoder model].
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& target,
                     const at::Tensor& memory,
                     const PackedTokens& source,
                     Context& context,
                     at::Tensor* cross_weights = nullptr) const;

  DecoderLayerState start(const at::Tensor& memory, Context& context) const;
  /// One step of all rows; x [rows, model].
  at::Tensor step(const at::Tensor& x,
                  DecoderLayerState& state,
                  const DecodingRows& rows,
                  Context& context,
                  at::Tensor* cross_weights = nullptr) const;
  void initialise(Initialiser& initialiser);

 private:
  std::shared_ptr<MultiheadAttention> self_attn_;
  std::shared_ptr<LayerNorm> self_attn_layer_norm_;
  std::shared_ptr<MultiheadAttention> encoder_attn_;
  std::shared_ptr<LayerNorm> encoder_attn_layer_norm_;
  FeedForward feed_forward_;
  std::shared_ptr<LayerNorm> final_layer_norm_;
  NormPlacement placement_;
};

}  // namespace phraseq::nn
