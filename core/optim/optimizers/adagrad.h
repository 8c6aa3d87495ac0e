#pragma once

#include <map>
#include <string>

#include "core/base/api.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// wd of Adagrad.
struct PHRASEQ_API AdagradOptions : Options {
  double weight_decay = 0.0;

  void describe(OptionTable& table) override;
};

/// Adagrad (Duchi et al. 2011) as in torch::optim::Adagrad, which fairseq uses, with an L2 penalty:
///
///   g' = g + wd·p
///   s = s + g'²
///   p = p - lr · g' / (√s + 1e-10)
class PHRASEQ_API Adagrad final : public Optimizer {
 public:
  Adagrad(const AdagradOptions& options, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override { return true; }

 private:
  AdagradOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor sum_;
};

}  // namespace phraseq
