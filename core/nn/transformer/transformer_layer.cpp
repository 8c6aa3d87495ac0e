#include "core/nn/transformer/transformer_layer.h"

#include <utility>

namespace phraseq::nn {
namespace {

LayerOptions layer_options(const TransformerOptions& o,
                           int64_t model,
                           int64_t hidden,
                           bool pre_norm) {
  return {{model, hidden, o.ffn_bias1, o.ffn_bias2, o.activation_fn, o.activation_dropout},
          {model, pre_norm, o.dropout, o.norm_eps}};
}

}  // namespace

LayerOptions LayerOptions::encoder(const TransformerOptions& o) {
  return layer_options(o, o.encoder_embed_dim, o.encoder_ffn_embed_dim, o.encoder_normalize_before);
}

LayerOptions LayerOptions::decoder(const TransformerOptions& o) {
  return layer_options(o, o.decoder_embed_dim, o.decoder_ffn_embed_dim, o.decoder_normalize_before);
}

SelfAttentionLayer::SelfAttentionLayer(const LayerOptions& o,
                                       std::shared_ptr<SelfAttention> self_attn)
    : self_attn_(register_module("self_attn", std::move(self_attn))),
      self_attn_residual_(*this, "self_attn_layer_norm", o.residual),
      feed_forward_(*this, o.feed_forward),
      final_residual_(*this, "final_layer_norm", o.residual) {}

at::Tensor SelfAttentionLayer::forward(const at::Tensor& input,
                                       const PackedTokens& tokens,
                                       bool causal,
                                       Context& context) const {
  const at::Tensor x = self_attn_residual_.around(input, context, [&](const at::Tensor& h) {
    return self_attn_->forward(h, tokens, causal, context);
  });
  return feed_forward(x, context);
}

at::Tensor SelfAttentionLayer::step(const at::Tensor& input,
                                    SelfAttentionLayerState& state,
                                    const DecodingRows& rows,
                                    Context& context) const {
  const at::Tensor x = self_attn_residual_.around(input, context, [&](const at::Tensor& h) {
    return self_attn_->step(h, *state.self_attention, rows, context);
  });
  return feed_forward(x, context);
}

at::Tensor SelfAttentionLayer::feed_forward(const at::Tensor& x, Context& context) const {
  return final_residual_.around(
      x, context, [&](const at::Tensor& h) { return feed_forward_.forward(h, context); });
}

void SelfAttentionLayer::initialize(Initializer& initializer) {
  self_attn_->initialize(initializer);
  self_attn_residual_.initialize(initializer);
  feed_forward_.initialize(initializer);
  final_residual_.initialize(initializer);
}

double SelfAttentionLayer::multiply_adds(double tokens) const {
  return self_attn_->multiply_adds(tokens) + feed_forward_.multiply_adds(tokens);
}

TransformerDecoderLayer::TransformerDecoderLayer(const LayerOptions& o,
                                                 std::shared_ptr<SelfAttention> self_attn,
                                                 std::shared_ptr<CrossAttention> encoder_attn)
    : self_attn_(register_module("self_attn", std::move(self_attn))),
      self_attn_residual_(*this, "self_attn_layer_norm", o.residual),
      encoder_attn_(register_module("encoder_attn", std::move(encoder_attn))),
      encoder_attn_residual_(*this, "encoder_attn_layer_norm", o.residual),
      feed_forward_(*this, o.feed_forward),
      final_residual_(*this, "final_layer_norm", o.residual) {}

at::Tensor TransformerDecoderLayer::forward(const at::Tensor& input,
                                            const PackedTokens& target,
                                            const at::Tensor& memory,
                                            const PackedTokens& source,
                                            Context& context,
                                            at::Tensor* cross_weights) const {
  at::Tensor x = attend_to_target(input, target, context);
  x = attend_to_source(x, target, memory, source, context, cross_weights);
  return feed_forward(x, context);
}

at::Tensor TransformerDecoderLayer::attend_to_target(const at::Tensor& x,
                                                     const PackedTokens& target,
                                                     Context& context,
                                                     bool causal) const {
  return self_attn_residual_.around(x, context, [&](const at::Tensor& h) {
    return self_attn_->forward(h, target, causal, context);
  });
}

at::Tensor TransformerDecoderLayer::attend_to_source(const at::Tensor& x,
                                                     const PackedTokens& target,
                                                     const at::Tensor& memory,
                                                     const PackedTokens& source,
                                                     Context& context,
                                                     at::Tensor* cross_weights) const {
  return encoder_attn_residual_.around(x, context, [&](const at::Tensor& h) {
    return encoder_attn_->forward(h, target, memory, source, context, cross_weights);
  });
}

at::Tensor TransformerDecoderLayer::feed_forward(const at::Tensor& x, Context& context) const {
  return final_residual_.around(
      x, context, [&](const at::Tensor& h) { return feed_forward_.forward(h, context); });
}

DecoderLayerState TransformerDecoderLayer::start(const at::Tensor& memory,
                                                 const PackedTokens& source,
                                                 Context& context) const {
  return {self_attn_->start(), encoder_attn_->start(memory, source, context)};
}

at::Tensor TransformerDecoderLayer::step(const at::Tensor& input,
                                         DecoderLayerState& state,
                                         const DecodingRows& rows,
                                         Context& context,
                                         at::Tensor* cross_weights) const {
  at::Tensor x = step_to_target(input, state, rows, context);
  x = step_to_source(x, state, rows, context, cross_weights);
  return feed_forward(x, context);
}

at::Tensor TransformerDecoderLayer::step_to_target(const at::Tensor& x,
                                                   DecoderLayerState& state,
                                                   const DecodingRows& rows,
                                                   Context& context) const {
  return self_attn_residual_.around(x, context, [&](const at::Tensor& h) {
    return self_attn_->step(h, *state.self_attention, rows, context);
  });
}

at::Tensor TransformerDecoderLayer::step_to_source(const at::Tensor& x,
                                                   DecoderLayerState& state,
                                                   const DecodingRows& rows,
                                                   Context& context,
                                                   at::Tensor* cross_weights) const {
  return encoder_attn_residual_.around(x, context, [&](const at::Tensor& h) {
    return encoder_attn_->step(h, *state.cross_attention, rows, context, cross_weights);
  });
}

void TransformerDecoderLayer::initialize(Initializer& initializer) {
  self_attn_->initialize(initializer);
  self_attn_residual_.initialize(initializer);
  encoder_attn_->initialize(initializer);
  encoder_attn_residual_.initialize(initializer);
  feed_forward_.initialize(initializer);
  final_residual_.initialize(initializer);
}

double TransformerDecoderLayer::multiply_adds(double source_tokens, double target_tokens) const {
  return self_attn_->multiply_adds(target_tokens) +
         encoder_attn_->multiply_adds(target_tokens, source_tokens) +
         feed_forward_.multiply_adds(target_tokens);
}

}  // namespace phraseq::nn
