#include "core/nn/transformer_layer.h"

namespace phraseq::nn {
namespace {

FeedForwardOptions feed_forward_options(const TransformerOptions& o,
                                        int64_t model,
                                        int64_t hidden) {
  return {model,
          hidden,
          o.ffn_bias1,
          o.ffn_bias2,
          activation_from(o.activation_fn),
          o.activation_dropout};
}

MultiheadAttentionOptions attention_options(const TransformerOptions& o,
                                            int64_t model,
                                            int64_t key_model,
                                            int64_t heads) {
  return {model, key_model, heads, o.attention_dropout, o.attn_bias};
}

/// Registers a sub-module under its name and hands it back.
template <class Module, class... Arguments>
std::shared_ptr<Module> add(torch::nn::Module& owner, const char* name, Arguments&&... arguments) {
  return owner.register_module(name,
                               std::make_shared<Module>(std::forward<Arguments>(arguments)...));
}

}  // namespace

LayerOptions LayerOptions::encoder(const TransformerOptions& o) {
  const int64_t model = o.encoder_embed_dim;
  return {attention_options(o, model, model, o.encoder_attention_heads),
          {},
          feed_forward_options(o, model, o.encoder_ffn_embed_dim),
          {o.encoder_normalize_before, o.dropout},
          o.norm_eps};
}

LayerOptions LayerOptions::decoder(const TransformerOptions& o) {
  const int64_t model = o.decoder_embed_dim;
  return {attention_options(o, model, model, o.decoder_attention_heads),
          attention_options(o, model, o.encoder_embed_dim, o.decoder_attention_heads),
          feed_forward_options(o, model, o.decoder_ffn_embed_dim),
          {o.decoder_normalize_before, o.dropout},
          o.norm_eps};
}

TransformerEncoderLayer::TransformerEncoderLayer(const LayerOptions& o)
    : self_attn_(add<MultiheadAttention>(*this, "self_attn", o.self_attention)),
      self_attn_layer_norm_(
          add<LayerNorm>(*this, "self_attn_layer_norm", o.self_attention.model, o.norm_eps)),
      feed_forward_(*this, o.feed_forward),
      final_layer_norm_(
          add<LayerNorm>(*this, "final_layer_norm", o.self_attention.model, o.norm_eps)),
      placement_(o.placement) {}

at::Tensor TransformerEncoderLayer::forward(const at::Tensor& input,
                                            const PackedTokens& source,
                                            Context& context) const {
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, input, context);
  h = self_attn_->attend_self(h, source, /*causal=*/false, context);
  const at::Tensor x = leave_sublayer(*self_attn_layer_norm_, placement_, h, input, context);

  h = enter_sublayer(*final_layer_norm_, placement_, x, context);
  h = feed_forward_.forward(h, context);
  return leave_sublayer(*final_layer_norm_, placement_, h, x, context);
}

void TransformerEncoderLayer::initialise(Initialiser& initialiser) {
  self_attn_->initialise(initialiser);
  self_attn_layer_norm_->initialise(initialiser);
  feed_forward_.initialise(initialiser);
  final_layer_norm_->initialise(initialiser);
}

TransformerDecoderLayer::TransformerDecoderLayer(const LayerOptions& o)
    : self_attn_(add<MultiheadAttention>(*this, "self_attn", o.self_attention)),
      self_attn_layer_norm_(
          add<LayerNorm>(*this, "self_attn_layer_norm", o.self_attention.model, o.norm_eps)),
      encoder_attn_(add<MultiheadAttention>(*this, "encoder_attn", o.cross_attention)),
      encoder_attn_layer_norm_(
          add<LayerNorm>(*this, "encoder_attn_layer_norm", o.self_attention.model, o.norm_eps)),
      feed_forward_(*this, o.feed_forward),
      final_layer_norm_(
          add<LayerNorm>(*this, "final_layer_norm", o.self_attention.model, o.norm_eps)),
      placement_(o.placement) {}

at::Tensor TransformerDecoderLayer::forward(const at::Tensor& input,
                                            const PackedTokens& target,
                                            const at::Tensor& memory,
                                            const PackedTokens& source,
                                            Context& context,
                                            at::Tensor* cross_weights) const {
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, input, context);
  h = self_attn_->attend_self(h, target, /*causal=*/true, context);
  at::Tensor x = leave_sublayer(*self_attn_layer_norm_, placement_, h, input, context);

  h = enter_sublayer(*encoder_attn_layer_norm_, placement_, x, context);
  h = encoder_attn_->attend_cross(h, target, memory, source, context, cross_weights);
  x = leave_sublayer(*encoder_attn_layer_norm_, placement_, h, x, context);

  h = enter_sublayer(*final_layer_norm_, placement_, x, context);
  h = feed_forward_.forward(h, context);
  return leave_sublayer(*final_layer_norm_, placement_, h, x, context);
}

DecoderLayerState TransformerDecoderLayer::start(const at::Tensor& memory, Context& context) const {
  return {{}, encoder_attn_->project_memory(memory, context)};
}

at::Tensor TransformerDecoderLayer::step(const at::Tensor& input,
                                         DecoderLayerState& state,
                                         const DecodingRows& rows,
                                         Context& context,
                                         at::Tensor* cross_weights) const {
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, input, context);
  h = self_attn_->step_self(h, state.self_attention, rows.ancestry, context);
  at::Tensor x = leave_sublayer(*self_attn_layer_norm_, placement_, h, input, context);

  h = enter_sublayer(*encoder_attn_layer_norm_, placement_, x, context);
  h = encoder_attn_->step_cross(
      h, state.memory_kv, rows.source_offsets, rows.sentence_of_row, context, cross_weights);
  x = leave_sublayer(*encoder_attn_layer_norm_, placement_, h, x, context);

  h = enter_sublayer(*final_layer_norm_, placement_, x, context);
  h = feed_forward_.forward(h, context);
  return leave_sublayer(*final_layer_norm_, placement_, h, x, context);
}

void TransformerDecoderLayer::initialise(Initialiser& initialiser) {
  self_attn_->initialise(initialiser);
  self_attn_layer_norm_->initialise(initialiser);
  encoder_attn_->initialise(initialiser);
  encoder_attn_layer_norm_->initialise(initialiser);
  feed_forward_.initialise(initialiser);
  final_layer_norm_->initialise(initialiser);
}

}  // namespace phraseq::nn
