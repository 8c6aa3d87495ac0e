#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/optim/optimizer.h"
#include "core/optim/optimizers/device/adam_kernel.h"
#include "core/optim/update_kernels.h"

namespace phraseq {

/// β1, β2, eps and wd of `adam`.
struct PHRASEQ_API AdamOptions : Options {
  std::vector<double> adam_betas = {0.9, 0.999};
  double adam_eps = 1e-8;
  double weight_decay = 0.0;
  bool eps_before_correction = true;  ///< set by the name: adam = fairseq's form, adamw = torch's

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// β1, β2, eps and wd of `adamw`.
struct PHRASEQ_API AdamWOptions : AdamOptions {
  AdamWOptions() { eps_before_correction = false; }
};

/// Adam (Kingma & Ba 2015) with decoupled weight decay (Loshchilov & Hutter 2019), in one pass.
///
///   m = β1 m + (1-β1) g         c1 = 1 - β1ᵗ
///   v = β2 v + (1-β2) g²        c2 = 1 - β2ᵗ
///   p = (1 - lr·wd) p - lr·√c2/c1 · m / (√v + e)
///
/// `adam`, as in fairseq (and in torch before 1.3): e = eps. `adamw`, as in torch::optim::AdamW:
/// e = eps·√c2, that is, eps is added after the correction. The two differ as long as √v is not
/// much larger than eps, most in the first updates. torch::optim::Adam, whose weight decay is an L2
/// penalty, is not offered.
class PHRASEQ_API Adam final : public Optimizer {
 public:
  /// `kernel` is for step_if; null = the one for these parameters, if there is one.
  Adam(const AdamOptions& options, const OptimizerSetup& setup, AdamKernel kernel = nullptr);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override { return true; }
  /// True where operators are used, as on a GPU: step_if then computes the same bits as `step`. A
  /// kernel is used if there is one (adam_kernel_for).
  bool can_step_if() const override;
  void step_if(const at::Tensor& take_step,
               double learning_rate,
               const at::Tensor& gradient_scale) override;

 private:
  using Coefficients = kernels::AdamCoefficients<double>;

  /// Counts a step and returns its coefficients.
  Coefficients next_step(double learning_rate);
  template <class T>
  void step_with_kernel(const Coefficients& by, double gradient_scale);
  void step_with_operators(const Coefficients& by, double gradient_scale);
  void step_if_with_operators(const at::Tensor& take_step,
                              const Coefficients& by,
                              const at::Tensor& gradient_scale);
  AdamPass pass_of(const at::Tensor& take_step,
                   const Coefficients& by,
                   const at::Tensor& gradient_scale);
  /// Updates m and v with operators. `beta1` and `beta2` are numbers or, if the device decides,
  /// tensors [].
  template <class Beta>
  void update_averages(const at::Tensor& gradient,
                       const Coefficients& by,
                       const Beta& beta1,
                       const Beta& beta2);
  /// Computes decayed - step · m / (√v + eps) in place, where `decayed` [elements] is p after
  /// weight decay.
  at::Tensor subtract_step(const at::Tensor& decayed, const Coefficients& by) const;

  AdamOptions options_;
  nn::FlatParameters& parameters_;
  AdamKernel kernel_;
  at::Tensor exp_avg_;
  at::Tensor exp_avg_sq_;
};

}  // namespace phraseq
