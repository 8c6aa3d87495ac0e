#pragma once

#include <map>
#include <string>

#include "core/base/api.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// momentum and wd of Nag.
struct PHRASEQ_API NagOptions : Options {
  double momentum = 0.99;
  double weight_decay = 0.0;

  void describe(OptionTable& table) override;
};

/// Nesterov's accelerated gradient in the form of Bengio et al. 2013 and of fairseq's `nag`:
///
///   p = (1 - lr·wd) p + momentum² · c · b - (1 + momentum) · lr · g      c = lr / lr of the
///   b = momentum · c · b - lr · g                                            update before
///
/// The buffer holds a step, including the learning rate; c corrects it if the rate has changed.
class PHRASEQ_API Nag final : public Optimizer {
 public:
  Nag(const NagOptions& options, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override { return true; }

 private:
  NagOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor momentum_buffer_;
  at::Tensor last_rate_;  // [1], double, on the CPU
};

}  // namespace phraseq
