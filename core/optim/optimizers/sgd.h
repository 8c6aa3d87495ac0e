#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// momentum and wd of Sgd.
struct PHRASEQ_API SgdOptions : Options {
  double momentum = 0.0;
  bool nesterov = false;
  double weight_decay = 0.0;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Stochastic gradient descent as in torch::optim::SGD, without dampening and with its L2 penalty:
///
///   g' = g + wd·p
///   b = momentum·b + g'
///   p = p - lr · (nesterov ? g' + momentum·b : b)
class PHRASEQ_API Sgd final : public Optimizer {
 public:
  Sgd(const SgdOptions& options, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override { return true; }

 private:
  template <class T>
  void step_with_kernel(double learning_rate, double gradient_scale);
  void step_with_operators(double learning_rate, double gradient_scale);

  SgdOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor momentum_buffer_;
};

}  // namespace phraseq
