#include "plugins/architectures/phrase_rep/combination.h"

#include <ATen/ops/cat.h>

#include "core/nn/functional/normalization.h"
#include "core/nn/kernels/activation.h"

namespace phraseq::phrase_rep {

CombinationOptions CombinationOptions::encoder(const PhraseRepOptions& o) {
  return {nn::MultiheadAttentionOptions::encoder_self(o),
          o.combination_widths().encoder,
          o.combination_bias2(),
          o.pr_comb_residual == CombinationResidual::kBoth,
          o.pr_comb_centered,
          o.activation_dropout,
          {o.encoder_embed_dim, o.encoder_normalize_before, o.dropout, o.norm_eps}};
}

CombinationOptions CombinationOptions::decoder(const PhraseRepOptions& o) {
  CombinationOptions options = encoder(o);
  options.attention = nn::MultiheadAttentionOptions::cross(o);
  options.hidden = o.combination_widths().decoder;
  options.residual.model = o.decoder_embed_dim;
  options.residual.pre_norm = o.decoder_normalize_before;
  return options;
}

Combination::Combination(const CombinationOptions& o)
    : attention_(register_module("phrase_attn",
                                 std::make_shared<nn::MultiheadCrossAttention>(o.attention))),
      fc1_(register_module(
          "fc1",
          std::make_shared<nn::LinearMap>(2 * o.attention.model, o.hidden, /*with_bias=*/true))),
      fc2_(register_module("fc2",
                           std::make_shared<nn::LinearMap>(o.hidden, o.attention.model, o.bias2))),
      residual_(*this, "layer_norm", o.residual),
      options_(o) {}

at::Tensor Combination::forward(const at::Tensor& x,
                                const PackedTokens& rows,
                                const at::Tensor& vectors,
                                const PhraseIndex& phrases,
                                nn::Context& context) const {
  const at::Tensor h = residual_.enter(x, context);
  const at::Tensor o = attention_->forward(h, rows, vectors, phrases.phrases, context);
  return combine(x, h, o, context);
}

std::unique_ptr<nn::AttentionState> Combination::start(const at::Tensor& vectors,
                                                       const PhraseIndex& phrases,
                                                       nn::Context& context) const {
  return attention_->start(vectors, phrases.phrases, context);
}

at::Tensor Combination::step(const at::Tensor& x,
                             nn::AttentionState& state,
                             const nn::DecodingRows& rows,
                             nn::Context& context) const {
  const at::Tensor h = residual_.enter(x, context);
  return combine(x, h, attention_->step(h, state, rows, context), context);
}

at::Tensor Combination::combine(const at::Tensor& x,
                                const at::Tensor& h,
                                const at::Tensor& o,
                                nn::Context& context) const {
  const at::Tensor n =
      fc2_->forward(hidden(at::cat({h, o}, 1), context), context);  // [rows, model]
  const at::Tensor residual = options_.add_both ? x + o : x;
  return residual_.leave(n, residual, context);
}

at::Tensor Combination::hidden(const at::Tensor& both, nn::Context& context) const {
  const double dropout = options_.activation_dropout;
  if (!options_.centered)
    return fc1_->forward(both, context, nn::Activation::kSigmoid, dropout);
  const at::Tensor shares = fc1_->forward(both, context, nn::Activation::kSigmoid, 0.0);
  return nn::dropout(shares - 0.5, dropout, context);
}

void Combination::initialize(nn::Initializer& initializer) {
  attention_->initialize(initializer);
  fc1_->initialize(initializer);
  fc2_->initialize(initializer);
  residual_.initialize(initializer);
}

double Combination::multiply_adds(double rows, double phrases) const {
  const auto network = static_cast<double>(fc1_->weight.numel() + fc2_->weight.numel());
  return attention_->multiply_adds(rows, phrases) + rows * network;
}

}  // namespace phraseq::phrase_rep
