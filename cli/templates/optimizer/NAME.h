#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "core/optim/optimizer.h"

/// Steps by the sign of the averaged gradient (Signum; Bernstein et al. 2018, alg. 2). A starting
/// point: replace the mathematics.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  double momentum = 0.9;

  void describe(phraseq::OptionTable& table) override {
    table.field("@flag@-momentum", momentum, "Decay of the gradient average.").in(0.0, 0.9999);
  }
};

/// m = momentum · m + (1 - momentum) · g;   p = p - lr · sign(m)
class Signum final : public phraseq::Optimizer {
 public:
  Signum(const Settings& options, const phraseq::OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  /// Everything that a resumed run needs in addition to the parameters; filled in place when a
  /// checkpoint is read.
  std::map<std::string, at::Tensor> state() override { return {{"momentum", momentum_}}; }

 private:
  Settings options_;
  phraseq::nn::FlatParameters& parameters_;
  at::Tensor momentum_;  // as long as all parameters together
};

}  // namespace @name@_plugin
