#include "core/nn/transformer/transformer_layer.h"

#include <utility>

namespace phraseq::nn {
namespace {

FeedForwardOptions feed_forward_options(const TransformerOptions& o,
                                        int64_t model,
                                        int64_t hidden) {
  return {model, hidden, o.ffn_bias1, o.ffn_bias2, o.activation_fn, o.activation_dropout};
}

std::shared_ptr<LayerNorm> add_norm(torch::nn::Module& owner,
                                    const char* name,
                                    const LayerOptions& options) {
  return owner.register_module(
      name, std::make_shared<LayerNorm>(options.feed_forward.model, options.norm_eps));
}

}  // namespace

LayerOptions LayerOptions::encoder(const TransformerOptions& o) {
  return {feed_forward_options(o, o.encoder_embed_dim, o.encoder_ffn_embed_dim),
          {o.encoder_normalize_before, o.dropout},
          o.norm_eps};
}

LayerOptions LayerOptions::decoder(const TransformerOptions& o) {
  return {feed_forward_options(o, o.decoder_embed_dim, o.decoder_ffn_embed_dim),
          {o.decoder_normalize_before, o.dropout},
          o.norm_eps};
}

TransformerEncoderLayer::TransformerEncoderLayer(const LayerOptions& o,
                                                 std::shared_ptr<SelfAttention> self_attn)
    : self_attn_(register_module("self_attn", std::move(self_attn))),
      self_attn_layer_norm_(add_norm(*this, "self_attn_layer_norm", o)),
      feed_forward_(*this, o.feed_forward),
      final_layer_norm_(add_norm(*this, "final_layer_norm", o)),
      placement_(o.placement) {}

at::Tensor TransformerEncoderLayer::forward(const at::Tensor& input,
                                            const PackedTokens& source,
                                            Context& context) const {
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, input, context);
  h = self_attn_->forward(h, source, /*causal=*/false, context);
  const at::Tensor x = leave_sublayer(*self_attn_layer_norm_, placement_, h, input, context);

  h = enter_sublayer(*final_layer_norm_, placement_, x, context);
  h = feed_forward_.forward(h, context);
  return leave_sublayer(*final_layer_norm_, placement_, h, x, context);
}

void TransformerEncoderLayer::initialize(Initializer& initializer) {
  self_attn_->initialize(initializer);
  self_attn_layer_norm_->initialize(initializer);
  feed_forward_.initialize(initializer);
  final_layer_norm_->initialize(initializer);
}

double TransformerEncoderLayer::multiply_adds(double tokens) const {
  return self_attn_->multiply_adds(tokens) + feed_forward_.multiply_adds(tokens);
}

TransformerDecoderLayer::TransformerDecoderLayer(const LayerOptions& o,
                                                 std::shared_ptr<SelfAttention> self_attn,
                                                 std::shared_ptr<CrossAttention> encoder_attn)
    : self_attn_(register_module("self_attn", std::move(self_attn))),
      self_attn_layer_norm_(add_norm(*this, "self_attn_layer_norm", o)),
      encoder_attn_(register_module("encoder_attn", std::move(encoder_attn))),
      encoder_attn_layer_norm_(add_norm(*this, "encoder_attn_layer_norm", o)),
      feed_forward_(*this, o.feed_forward),
      final_layer_norm_(add_norm(*this, "final_layer_norm", o)),
      placement_(o.placement) {}

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
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, x, context);
  h = self_attn_->forward(h, target, causal, context);
  return leave_sublayer(*self_attn_layer_norm_, placement_, h, x, context);
}

at::Tensor TransformerDecoderLayer::attend_to_source(const at::Tensor& x,
                                                     const PackedTokens& target,
                                                     const at::Tensor& memory,
                                                     const PackedTokens& source,
                                                     Context& context,
                                                     at::Tensor* cross_weights) const {
  at::Tensor h = enter_sublayer(*encoder_attn_layer_norm_, placement_, x, context);
  h = encoder_attn_->forward(h, target, memory, source, context, cross_weights);
  return leave_sublayer(*encoder_attn_layer_norm_, placement_, h, x, context);
}

at::Tensor TransformerDecoderLayer::feed_forward(const at::Tensor& x, Context& context) const {
  at::Tensor h = enter_sublayer(*final_layer_norm_, placement_, x, context);
  h = feed_forward_.forward(h, context);
  return leave_sublayer(*final_layer_norm_, placement_, h, x, context);
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
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, x, context);
  h = self_attn_->step(h, *state.self_attention, rows, context);
  return leave_sublayer(*self_attn_layer_norm_, placement_, h, x, context);
}

at::Tensor TransformerDecoderLayer::step_to_source(const at::Tensor& x,
                                                   DecoderLayerState& state,
                                                   const DecodingRows& rows,
                                                   Context& context,
                                                   at::Tensor* cross_weights) const {
  at::Tensor h = enter_sublayer(*encoder_attn_layer_norm_, placement_, x, context);
  h = encoder_attn_->step(h, *state.cross_attention, rows, context, cross_weights);
  return leave_sublayer(*encoder_attn_layer_norm_, placement_, h, x, context);
}

void TransformerDecoderLayer::initialize(Initializer& initializer) {
  self_attn_->initialize(initializer);
  self_attn_layer_norm_->initialize(initializer);
  encoder_attn_->initialize(initializer);
  encoder_attn_layer_norm_->initialize(initializer);
  feed_forward_.initialize(initializer);
  final_layer_norm_->initialize(initializer);
}

double TransformerDecoderLayer::multiply_adds(double source_tokens, double target_tokens) const {
  return self_attn_->multiply_adds(target_tokens) +
         encoder_attn_->multiply_adds(target_tokens, source_tokens) +
         feed_forward_.multiply_adds(target_tokens);
}

}  // namespace phraseq::nn
