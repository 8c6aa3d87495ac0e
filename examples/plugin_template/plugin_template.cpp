#include "plugin_template.h"

#include <memory>
#include <utility>

#include <ATen/ops/mul.h>

namespace plugin_template_plugin {

using namespace phraseq::nn;
using phraseq::PackedTokens;

void Settings::describe(phraseq::OptionTable& table) {
  TransformerOptions::describe(table);
  table.field("plugin-template-gate-bias", gate_bias, "Add a bias to the gate.");
}

GatedAttention::GatedAttention(std::shared_ptr<SelfAttention> attention, int64_t model, bool bias)
    : attention_(register_module("attention", std::move(attention))),
      gate_(register_module("gate", std::make_shared<LinearMap>(model, model, bias))) {}

at::Tensor GatedAttention::gate(const at::Tensor& x, Context& context) const {
  return gate_->forward(x, context, Activation::kSigmoid);  // [tokens, model]
}

at::Tensor GatedAttention::forward(const at::Tensor& x,
                                   const PackedTokens& tokens,
                                   bool causal,
                                   Context& context) const {
  return at::mul(gate(x, context), attention_->forward(x, tokens, causal, context));
}

std::unique_ptr<AttentionState> GatedAttention::start() const { return attention_->start(); }

at::Tensor GatedAttention::step(const at::Tensor& x,
                                AttentionState& state,
                                const DecodingRows& rows,
                                Context& context) const {
  return at::mul(gate(x, context), attention_->step(x, state, rows, context));
}

void GatedAttention::initialize(Initializer& initializer) {
  attention_->initialize(initializer);
  gate_->initialize(initializer);
}

double GatedAttention::multiply_adds(double tokens) const {
  return attention_->multiply_adds(tokens) + tokens * static_cast<double>(gate_->weight.numel());
}

std::shared_ptr<SelfAttention> Attentions::encoder_self(const TransformerOptions& options,
                                                        int64_t layer) const {
  return std::make_shared<GatedAttention>(
      AttentionFactory::encoder_self(options, layer), options.encoder_embed_dim, gate_bias_);
}

}  // namespace plugin_template_plugin
