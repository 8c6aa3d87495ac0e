#include "plugins/architectures/phrasenet/noisy_tanh.h"

#include <string>

#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/tanh.h>

#include "core/data/device/to_device.h"

namespace phraseq::phrasenet {
namespace {

constexpr double kHalfNormalMean = 0.797;  // as published; √(2/π) is 0.79788

/// N(0, 1) in the shape of `like`, a function of the key alone.
at::Tensor normal_like(const at::Tensor& like, uint64_t key) {
  at::Tensor drawn = at::empty(like.sizes(), at::kFloat);
  // As a source of normal numbers; the style makes no difference.
  nn::Initializer(nn::InitializationStyle::kFairseq, key).normal(drawn, 1.0);
  return to_device(drawn.to(like.scalar_type()), like.device());
}

}  // namespace

at::Tensor noisy_tanh(const at::Tensor& x, const at::Tensor& drawn, const NoiseShape& shape) {
  const at::Tensor clipped = at::clamp(x, -1, 1);
  const at::Tensor mean = shape.alpha * clipped + (1 - shape.alpha) * x;
  if (!drawn.defined())
    return mean;
  const at::Tensor delta = clipped - x;
  const at::Tensor z = shape.p.defined() ? shape.p * delta : delta * delta;
  const at::Tensor openness = at::sigmoid(z) - 0.5;
  const double direction = shape.half_normal && shape.alpha > 1 ? 1.0 : -1.0;
  return mean + direction * shape.c * at::sign(x) * openness * openness * drawn;
}

GateActivation::GateActivation(torch::nn::Module& owner,
                               const std::string& name,
                               const PhraseNetOptions& o)
    : noisy_(o.gate_act != GateFunction::kTanh),
      shape_{o.noise_c, o.noise_alpha, o.gate_act == GateFunction::kHalfNormal} {
  if (noisy_ && o.gate_act != GateFunction::kFixed)
    shape_.p = owner.register_parameter(name, at::empty({o.gate_hidden}));
}

at::Tensor GateActivation::noise(const at::Tensor& like, nn::Context& context) const {
  if (context.training()) {
    const at::Tensor drawn = normal_like(like, context.next_dropout_key());
    return shape_.half_normal ? drawn.abs() : drawn;
  }
  return shape_.half_normal ? at::full_like(like, kHalfNormalMean) : at::Tensor();
}

at::Tensor GateActivation::forward(const at::Tensor& x, nn::Context& context) const {
  return noisy_ ? noisy_tanh(x, noise(x, context), shape_) : at::tanh(x);
}

void GateActivation::initialize(nn::RecurrentInitializer& initializer) {
  if (shape_.p.defined())
    initializer.constant(shape_.p, 1.0);
}

}  // namespace phraseq::phrasenet
