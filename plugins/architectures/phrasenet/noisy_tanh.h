#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/nn/context.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

/// The gate network's activation: tanh, or its noisy form (Gulcehre et al. 2016, NTanhP)
///
///     h = clip(x, -1, 1),  Δ = h - x
///     y = α h + (1 - α) x - sgn(x) c (σ(p Δ) - 1/2)² ε
///
/// ε is N(0, 1) in training, 0 else; half-normal noise is |ε| leaning towards the clipped side, and
/// its mean 0.797 outside of training. p is learned, a number a unit, or 1.
class GateActivation {
 public:
  /// Registers the learned p under `name` with its owner.
  GateActivation(torch::nn::Module& owner,
                 const std::string& name,
                 const PhraseNetOptions& options);

  /// x [rows, width], fp32 (fp64).
  at::Tensor forward(const at::Tensor& x, nn::Context& context) const;
  void initialize(nn::RecurrentInitializer& initializer);

 private:
  at::Tensor noise(const at::Tensor& like, nn::Context& context) const;

  bool noisy_, half_;
  double c_, alpha_;
  at::Tensor p_;  // undefined = 1
};

}  // namespace phraseq::phrasenet
