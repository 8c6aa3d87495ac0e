#include "plugins/architectures/phrasenet/noisy_tanh.h"

#include <string>

#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/tanh.h>

namespace phraseq::phrasenet {
namespace {

constexpr double kHalfNormalMean = 0.797;  // as published; √(2/π) is 0.79788

/// N(0, 1) in the shape of `like`, a function of the key alone.
at::Tensor normal_like(const at::Tensor& like, uint64_t key) {
  at::Tensor drawn = at::empty(like.sizes(), at::kFloat);
  nn::Initializer(nn::InitialisationStyle::kFairseq, key).normal(drawn, 1.0);
  return drawn.to(like.options());
}

}  // namespace

GateActivation::GateActivation(torch::nn::Module& owner,
                               const std::string& name,
                               const PhraseNetOptions& o)
    : noisy_(o.gate_act != "tanh"),
      half_(o.gate_act == "noisy-tanh-half"),
      c_(o.noise_c),
      alpha_(o.noise_alpha) {
  if (noisy_ && o.gate_act != "noisy-tanh-fixed")
    p_ = owner.register_parameter(name, at::empty({o.gate_hidden}));
}

at::Tensor GateActivation::noise(const at::Tensor& like, nn::Context& context) const {
  if (context.training()) {
    const at::Tensor drawn = normal_like(like, context.next_dropout_key());
    return half_ ? drawn.abs() : drawn;
  }
  return half_ ? at::full_like(like, kHalfNormalMean) : at::Tensor();
}

at::Tensor GateActivation::forward(const at::Tensor& x, nn::Context& context) const {
  if (!noisy_)
    return at::tanh(x);
  const at::Tensor clipped = at::clamp(x, -1, 1);
  const at::Tensor mean = alpha_ * clipped + (1 - alpha_) * x;
  const at::Tensor drawn = noise(x, context);
  if (!drawn.defined())
    return mean;
  const at::Tensor delta = clipped - x;
  const at::Tensor openness = at::sigmoid(p_.defined() ? p_ * delta : delta) - 0.5;
  const double direction = half_ && alpha_ > 1 ? 1.0 : -1.0;
  return mean + direction * c_ * at::sign(x) * openness * openness * drawn;
}

void GateActivation::initialize(nn::RecurrentInitializer& initializer) {
  if (p_.defined())
    initializer.constant(p_, 1.0);
}

}  // namespace phraseq::phrasenet
