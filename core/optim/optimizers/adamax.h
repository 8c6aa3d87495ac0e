#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// β1, β2, eps and wd of Adamax.
struct PHRASEQ_API AdamaxOptions : Options {
  std::vector<double> adamax_betas = {0.9, 0.999};
  double adamax_eps = 1e-8;
  double weight_decay = 0.0;
  bool no_bias_correction = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Adamax (Kingma & Ba 2015, algorithm 2) as in fairseq, with decoupled weight decay:
///
///   m = β1 m + (1-β1) g,  u = max(β2 u, |g|),  p = (1 - lr·wd) p - lr/(1-β1ᵗ) · m / (u + eps)
class PHRASEQ_API Adamax final : public Optimizer {
 public:
  Adamax(const AdamaxOptions& options, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override { return true; }

 private:
  AdamaxOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor exp_avg_;
  at::Tensor exp_inf_;
};

}  // namespace phraseq
