#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// A plugin's optimizer: if it throws, the error names the plugin.
class PHRASEQ_API NamedOptimizer final : public Optimizer {
 public:
  /// Makes the selected optimizer.
  NamedOptimizer(const Selection& selection, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;
  bool is_elementwise() const override;
  bool can_step_if() const override;
  void step_if(const at::Tensor& take_step,
               double learning_rate,
               const at::Tensor& gradient_scale) override;

 private:
  const Component& component_;
  std::unique_ptr<Optimizer> optimizer_;
};

/// A plugin's learning-rate schedule: if it throws, the error names the plugin.
class PHRASEQ_API NamedScheduler final : public LrScheduler {
 public:
  NamedScheduler(const Selection& selection, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;
  bool takes_lr_list() const override;
  void begin_epoch(int64_t epoch) override;
  void end_epoch(int64_t finished_updates, std::optional<double> value) override;
  std::map<std::string, double> state() const override;
  void restore(const std::map<std::string, double>& state) override;
  void forget_values() override;

 private:
  const Component& component_;
  std::unique_ptr<LrScheduler> scheduler_;
};

}  // namespace phraseq
