#include "core/optim/named_optimizer.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/plugin/component_call.h"

namespace phraseq {

NamedOptimizer::NamedOptimizer(const Selection& selection, const OptimizerSetup& setup)
    : component_(*selection.component), optimizer_(create<Optimizer>(selection, setup)) {}

void NamedOptimizer::step(double learning_rate, double gradient_scale) {
  optimizer_->set_steps(steps_);  // restored, or set by a resume
  call_component(component_, "step", [&] { optimizer_->step(learning_rate, gradient_scale); });
  steps_ = optimizer_->steps();
}

bool NamedOptimizer::can_step_if() const {
  return call_component(component_, "can_step_if", [&] { return optimizer_->can_step_if(); });
}

void NamedOptimizer::step_if(const at::Tensor& take_step,
                             double learning_rate,
                             const at::Tensor& gradient_scale) {
  optimizer_->set_steps(steps_);
  call_component(component_, "step_if", [&] {
    optimizer_->step_if(take_step, learning_rate, gradient_scale);
  });
  steps_ = optimizer_->steps();
}

std::map<std::string, at::Tensor> NamedOptimizer::state() {
  const auto state = call_component(component_, "state", [&] { return optimizer_->state(); });
  for (const auto& [name, tensor] : state) {
    if (!tensor.defined())
      throw component_failure(component_, "state", fmt::format("'{}' is undefined", name));
  }
  return state;
}

bool NamedOptimizer::is_elementwise() const {
  return call_component(component_, "is_elementwise", [&] { return optimizer_->is_elementwise(); });
}

NamedScheduler::NamedScheduler(const Selection& selection, const LrSchedulerSetup& setup)
    : component_(*selection.component), scheduler_(create<LrScheduler>(selection, setup)) {
  if (setup.lr_list.size() < 2 || takes_lr_list())
    return;
  throw UsageError(fmt::format("--lr-scheduler {} takes one value of --lr, not a list of {}",
                               selection.name,
                               setup.lr_list.size()),
                   "Use --lr-scheduler fixed for a list with one value per epoch.");
}

double NamedScheduler::rate(int64_t finished_updates) const {
  const double rate =
      call_component(component_, "rate", [&] { return scheduler_->rate(finished_updates); });
  if (!std::isfinite(rate) || rate < 0) {
    throw component_failure(
        component_,
        "rate",
        fmt::format("the learning rate after {} updates is {}", finished_updates, rate));
  }
  return rate;
}

bool NamedScheduler::takes_lr_list() const {
  return call_component(component_, "takes_lr_list", [&] { return scheduler_->takes_lr_list(); });
}

void NamedScheduler::begin_epoch(int64_t epoch) {
  call_component(component_, "begin_epoch", [&] { scheduler_->begin_epoch(epoch); });
}

void NamedScheduler::end_epoch(int64_t finished_updates, std::optional<double> value) {
  call_component(component_, "end_epoch", [&] { scheduler_->end_epoch(finished_updates, value); });
}

std::map<std::string, double> NamedScheduler::state() const {
  return call_component(component_, "state", [&] { return scheduler_->state(); });
}

void NamedScheduler::restore(const std::map<std::string, double>& state) {
  call_component(component_, "restore", [&] { scheduler_->restore(state); });
}

void NamedScheduler::forget_values() {
  call_component(component_, "forget_values", [&] { scheduler_->forget_values(); });
}

}  // namespace phraseq
