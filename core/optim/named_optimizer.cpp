#include "core/optim/named_optimizer.h"

#include "core/plugin/component_call.h"

namespace phraseq {

NamedOptimizer::NamedOptimizer(const Selection& selection, const OptimizerSetup& setup)
    : component_(*selection.component), optimizer_(create<Optimizer>(selection, setup)) {}

void NamedOptimizer::step(double learning_rate, double gradient_scale) {
  optimizer_->set_steps(steps_);  // restored, or set by a resume
  call_component(component_, "step", [&] { optimizer_->step(learning_rate, gradient_scale); });
  steps_ = optimizer_->steps();
}

std::map<std::string, at::Tensor> NamedOptimizer::state() {
  return call_component(component_, "state", [&] { return optimizer_->state(); });
}

NamedScheduler::NamedScheduler(const Selection& selection, const LrSchedulerSetup& setup)
    : component_(*selection.component), scheduler_(create<LrScheduler>(selection, setup)) {}

double NamedScheduler::rate(int64_t finished_updates) const {
  return call_component(component_, "rate", [&] { return scheduler_->rate(finished_updates); });
}

}  // namespace phraseq
