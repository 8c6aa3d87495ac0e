#pragma once

#include <map>
#include <string>

#include "core/base/api.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// ρ, eps and wd of Adadelta.
struct PHRASEQ_API AdadeltaOptions : Options {
  double adadelta_rho = 0.95;
  double adadelta_eps = 1e-6;
  double weight_decay = 0.0;

  void describe(OptionTable& table) override;
};

/// Adadelta (Zeiler 2012, algorithm 1), with torch::optim::Adadelta's learning rate (1 = the
/// paper's) and L2 penalty:
///
///   g' = g + wd·p
///   a = ρ a + (1-ρ) g'²
///   Δ = √(d+eps)/√(a+eps) · g'
///   d = ρ d + (1-ρ) Δ²
///   p = p - lr·Δ
///
/// The paper's ρ and eps are the defaults; torch's and fairseq's ρ is 0.9.
class PHRASEQ_API Adadelta final : public Optimizer {
 public:
  Adadelta(const AdadeltaOptions& options, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override { return true; }

 private:
  template <class T>
  void step_with_kernel(double learning_rate, double gradient_scale);
  void step_with_operators(double learning_rate, double gradient_scale);

  AdadeltaOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor square_avg_;
  at::Tensor acc_delta_;
};

}  // namespace phraseq
