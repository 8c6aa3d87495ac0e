#pragma once

#include <memory>

#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/attention_module.h"
#include "core/nn/linear_map.h"
#include "core/nn/transformer/transformer_model.h"

/// A Transformer in which a gate decides, for every channel, how much of the encoder's
/// self-attention passes. A starting point: replace the mathematics.
namespace plugin_template_plugin {

/// Every option of the Transformer, and our own. Names must be unique within a run, hence the
/// prefix.
struct Settings : phraseq::nn::TransformerOptions {
  bool gate_bias = true;

  void describe(phraseq::OptionTable& table) override;
};

/// y = sigmoid(W x + b) * attention(x).
class GatedAttention final : public phraseq::nn::SelfAttention {
 public:
  GatedAttention(std::shared_ptr<phraseq::nn::SelfAttention> attention, int64_t model, bool bias);

  at::Tensor forward(const at::Tensor& x,
                     const phraseq::PackedTokens& tokens,
                     bool causal,
                     phraseq::nn::Context& context) const override;
  std::unique_ptr<phraseq::nn::AttentionState> start() const override;
  at::Tensor step(const at::Tensor& x,
                  phraseq::nn::AttentionState& state,
                  const phraseq::nn::DecodingRows& rows,
                  phraseq::nn::Context& context) const override;
  void initialize(phraseq::nn::Initializer& initializer) override;
  double multiply_adds(double tokens) const override;

 private:
  at::Tensor gate(const at::Tensor& x, phraseq::nn::Context& context) const;

  std::shared_ptr<phraseq::nn::SelfAttention> attention_;
  std::shared_ptr<phraseq::nn::LinearMap> gate_;
};

/// Selects the attention of each layer.
class Attentions final : public phraseq::nn::AttentionFactory {
 public:
  explicit Attentions(bool gate_bias) : gate_bias_(gate_bias) {}
  std::shared_ptr<phraseq::nn::SelfAttention> encoder_self(
      const phraseq::nn::TransformerOptions& options, int64_t layer) const override;

 private:
  bool gate_bias_;
};

class Model final : public phraseq::nn::TransformerModel {
 public:
  Model(const Settings& options, const phraseq::ArchitectureSetup& setup)
      : TransformerModel(options, setup, Attentions(options.gate_bias)) {}
};

}  // namespace plugin_template_plugin
