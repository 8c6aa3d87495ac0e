#include "core/optim/optimizers/adagrad.h"

#include <ATen/ops/zeros_like.h>

#include "core/optim/sixteen_bit_copies.h"

namespace phraseq {
namespace {

constexpr double kAdagradEps = 1e-10;  // torch's default; fairseq has no option for it

}  // namespace

void AdagradOptions::describe(OptionTable& table) {
  table.field("weight-decay", weight_decay, "Weight decay (L2 penalty).").at_least(0);
}

Adagrad::Adagrad(const AdagradOptions& options, const OptimizerSetup& setup)
    : options_(options),
      parameters_(*setup.parameters),
      sum_(at::zeros_like(parameters_.values())) {}

std::map<std::string, at::Tensor> Adagrad::state() { return {{"sum", sum_}}; }

void Adagrad::step(double learning_rate, double gradient_scale) {
  ++steps_;
  at::Tensor gradient = parameters_.gradients() * gradient_scale;
  if (options_.weight_decay != 0)
    gradient.add_(parameters_.values(), options_.weight_decay);
  sum_.addcmul_(gradient, gradient);
  parameters_.values().addcdiv_(gradient, sum_.sqrt().add_(kAdagradEps), -learning_rate);
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq
