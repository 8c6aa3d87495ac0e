#include "plugins/architectures/phrase_rep/generator.h"

#include <ATen/ops/tensor.h>

#include "core/nn/functional/linear.h"
#include "core/nn/functional/segments.h"
#include "core/nn/recording.h"

namespace phraseq::phrase_rep {
namespace {

/// For each token, 1 / the number of tokens in its phrase, [tokens].
at::Tensor equal_shares(const PhraseIndex& phrases, const at::Tensor& like) {
  std::vector<double> shares;
  for (int64_t phrase = 0; phrase < phrases.count(); ++phrase) {
    const int64_t length = phrases.length(phrase);
    shares.insert(shares.end(), static_cast<size_t>(length), 1.0 / static_cast<double>(length));
  }
  return at::tensor(shares, at::kDouble).to(like.options());
}

std::vector<int64_t> lengths_of(const PhraseIndex& phrases) {
  std::vector<int64_t> lengths;
  for (int64_t phrase = 0; phrase < phrases.count(); ++phrase)
    lengths.push_back(phrases.length(phrase));
  return lengths;
}

}  // namespace

PhraseGenerator::PhraseGenerator(const PhraseRepOptions& o, int64_t hidden)
    : attention_(o.pr_attn),
      max_(o.pr_glance == Glance::kMax),
      model_(o.encoder_embed_dim),
      dropout_(o.activation_dropout) {
  if (attention_ == WordAttention::kNone)
    return;
  fc1_ = register_module("fc1",
                         std::make_shared<nn::LinearMap>(2 * model_, hidden, /*with_bias=*/true));
  // A bias in front of a softmax would change nothing.
  score_ = register_module(
      "score",
      std::make_shared<nn::LinearMap>(hidden, 1, attention_ == WordAttention::kSigmoidResidual));
}

at::Tensor PhraseGenerator::forward(const at::Tensor& x,
                                    const PhraseIndex& phrases,
                                    nn::Context& context) const {
  const at::Tensor glance =  // [phrases, model]
      max_ ? nn::segment_max(x, phrases.offsets) : nn::segment_mean(x, phrases.offsets);
  if (attention_ == WordAttention::kNone)
    return glance;
  const at::Tensor s = scores(x, glance, phrases, context);  // [tokens]
  const bool residual = attention_ == WordAttention::kSigmoidResidual;
  const at::Tensor weights =  // [tokens]
      residual ? gates(s) * equal_shares(phrases, s) : nn::segment_softmax(s, phrases.offsets);
  if (context.recording() != nullptr)
    context.recording()->add(
        *this, "phrase_weights", weights, {{"phrase_lengths", lengths_of(phrases)}});
  return nn::segment_weighted_sum(x, weights, residual ? glance : at::Tensor(), phrases.offsets);
}

/// σ(s + b), [tokens].
at::Tensor PhraseGenerator::gates(const at::Tensor& s) const {
  const at::Tensor rows = (s + score_->bias).unsqueeze(1);  // [tokens, 1]
  return nn::activated(rows, nn::Activation::kSigmoid).squeeze(1);
}

/// W1 [token | first look] is applied to each half alone, to the second one only once per phrase:
/// fewer products than for the concatenation of eq. 3.
at::Tensor PhraseGenerator::scores(const at::Tensor& x,
                                   const at::Tensor& glance,
                                   const PhraseIndex& phrases,
                                   nn::Context& context) const {
  const auto halves = fc1_->weight.split(model_, 1);  // [hidden, model] each
  const at::Tensor of_token = nn::linear(x, halves[0], fc1_->bias, context);  // [tokens, hidden]
  const at::Tensor of_phrase = nn::linear(glance, halves[1], {}, context);    // [phrases, hidden]
  return nn::segment_scores(
      of_token, of_phrase, score_->weight, phrases.offsets, dropout_, context);
}

void PhraseGenerator::initialize(nn::Initializer& initializer) {
  if (attention_ == WordAttention::kNone)
    return;
  fc1_->initialize(initializer);
  score_->initialize(initializer);
}

double PhraseGenerator::multiply_adds(double tokens, double phrases) const {
  if (attention_ == WordAttention::kNone)
    return 0;
  const auto hidden = static_cast<double>(score_->weight.numel());
  return hidden * (static_cast<double>(model_) * (tokens + phrases) + tokens);
}

}  // namespace phraseq::phrase_rep
