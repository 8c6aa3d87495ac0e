#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/nn/context.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

/// The kind of noise of a noisy tanh (Gulcehre et al. 2016; NTanhP and NTanh in their code).
struct NoiseShape {
  double c = 0.5;
  double alpha = 1.15;
  bool half_normal = false;
  at::Tensor p = {};  ///< [units], learned; undefined = NTanh, which has none
};

/// The noisy tanh of x for the noise ε that was drawn, or |ε| if it is half-normal:
///
///     h = clip(x, -1, 1),  Δ = h - x
///     y = α h + (1 - α) x - sgn(x) c (σ(z) - 1/2)² ε,  z = p Δ, or Δ² without p
///
/// Half-normal noise has the opposite sign if α > 1: it leans toward the clipped side.
at::Tensor noisy_tanh(const at::Tensor& x, const at::Tensor& drawn, const NoiseShape& shape);

/// The gate network's activation: tanh, or the noisy form. ε is N(0, 1) in training, otherwise 0;
/// half-normal noise is |ε|, and its mean 0.797 outside of training. p is learned, with one number
/// per unit; `noisy-tanh-fixed` has no p.
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

  bool noisy_;
  NoiseShape shape_;
};

}  // namespace phraseq::phrasenet
