#pragma once

#include <memory>

#include "core/nn/linear_map.h"
#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/attention_module.h"
#include "core/nn/transformer/transformer_model.h"
#include "plugins/architectures/ssru_transformer/options.h"

namespace phraseq::ssru_transformer {

/// The simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back:
/// Ludicrously Fast Neural Machine Translation", sec. 3.2, as in Marian's src/rnn/cells.h): for
/// token t of a sentence
///
///     f_t = σ(W_f x_t + b_f),  c_t = f_t * c_{t-1} + (1 - f_t) * W x_t,  h_t = ReLU(c_t)
///
/// with c_0 = 0. W is `x_proj`, W_f and b_f are `f_proj`; `out_proj`, if there is one, is applied
/// to h_t. A token sees only itself and earlier tokens, so the unit can be used only in a decoder.
/// States are fp32 (fp64) even under bf16.
class Ssru final : public nn::SelfAttention {
 public:
  Ssru(int64_t width, bool with_projection);

  /// Throws std::logic_error unless `causal`.
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& tokens,
                     bool causal,
                     nn::Context& context) const override;
  std::unique_ptr<nn::AttentionState> start() const override;
  at::Tensor step(const at::Tensor& x,
                  nn::AttentionState& state,
                  const nn::DecodingRows& rows,
                  nn::Context& context) const override;
  void initialize(nn::Initializer& initializer) override;
  double multiply_adds(double tokens) const override;

 private:
  struct Products {
    at::Tensor input;   ///< W x, [rows, width]
    at::Tensor forget;  ///< f, [rows, width]
  };
  Products products(const at::Tensor& x, nn::Context& context) const;
  /// ReLU(c) and the projection, [rows, width], in the type of activations.
  at::Tensor output(const at::Tensor& cells, at::ScalarType type, nn::Context& context) const;

  std::shared_ptr<nn::LinearMap> x_proj_, f_proj_, out_proj_;
};

/// Recurrent units in the decoder, multi-head attention everywhere else.
class SsruFactory final : public nn::AttentionFactory {
 public:
  explicit SsruFactory(const SsruTransformerOptions& options)
      : with_projection_(options.ssru_projection) {}
  std::shared_ptr<nn::SelfAttention> decoder_self(const nn::TransformerOptions& options,
                                                  int64_t layer) const override;

 private:
  bool with_projection_;
};

/// A Transformer whose decoder has recurrent units in place of self-attention.
class SsruTransformer final : public nn::TransformerModel {
 public:
  SsruTransformer(const SsruTransformerOptions& options, const ArchitectureSetup& setup)
      : TransformerModel(options, setup, SsruFactory(options)) {}
};

}  // namespace phraseq::ssru_transformer
