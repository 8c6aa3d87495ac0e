#include "plugins/architectures/transformer_lm/causal_layer.h"

#include <utility>

namespace phraseq::transformer_lm {
namespace {

std::shared_ptr<nn::LayerNorm> norm_of(const nn::LayerOptions& options) {
  return std::make_shared<nn::LayerNorm>(options.feed_forward.model, options.norm_eps);
}

}  // namespace

CausalLayer::CausalLayer(const nn::LayerOptions& o, std::shared_ptr<nn::SelfAttention> self_attn)
    : self_attn_(register_module("self_attn", std::move(self_attn))),
      self_attn_layer_norm_(register_module("self_attn_layer_norm", norm_of(o))),
      feed_forward_(*this, o.feed_forward),
      final_layer_norm_(register_module("final_layer_norm", norm_of(o))),
      placement_(o.placement) {}

at::Tensor CausalLayer::forward(const at::Tensor& input,
                                const PackedTokens& tokens,
                                nn::Context& context) const {
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, input, context);
  h = self_attn_->forward(h, tokens, /*causal=*/true, context);
  return feed_forward(leave_sublayer(*self_attn_layer_norm_, placement_, h, input, context),
                      context);
}

at::Tensor CausalLayer::step(const at::Tensor& input,
                             CausalLayerState& state,
                             const nn::DecodingRows& rows,
                             nn::Context& context) const {
  at::Tensor h = enter_sublayer(*self_attn_layer_norm_, placement_, input, context);
  h = self_attn_->step(h, *state.self_attention, rows, context);
  return feed_forward(leave_sublayer(*self_attn_layer_norm_, placement_, h, input, context),
                      context);
}

at::Tensor CausalLayer::feed_forward(const at::Tensor& x, nn::Context& context) const {
  at::Tensor h = enter_sublayer(*final_layer_norm_, placement_, x, context);
  h = feed_forward_.forward(h, context);
  return leave_sublayer(*final_layer_norm_, placement_, h, x, context);
}

void CausalLayer::initialize(nn::Initializer& initializer) {
  self_attn_->initialize(initializer);
  self_attn_layer_norm_->initialize(initializer);
  feed_forward_.initialize(initializer);
  final_layer_norm_->initialize(initializer);
}

double CausalLayer::multiply_adds(double tokens) const {
  return self_attn_->multiply_adds(tokens) + feed_forward_.multiply_adds(tokens);
}

}  // namespace phraseq::transformer_lm
