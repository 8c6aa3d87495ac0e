#include "core/optim/optimizers/nag.h"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "core/optim/sixteen_bit_copies.h"

namespace phraseq {

void NagOptions::describe(OptionTable& table) {
  table.field("momentum", momentum, "Momentum factor.").in(0.0, 1.0);
  table.field("weight-decay", weight_decay, "Weight decay, decoupled from the gradient.")
      .at_least(0);
}

Nag::Nag(const NagOptions& options, const OptimizerSetup& setup)
    : options_(options),
      parameters_(*setup.parameters),
      momentum_buffer_(at::zeros_like(parameters_.values())),
      last_rate_(at::zeros({1}, at::kDouble)) {}

std::map<std::string, at::Tensor> Nag::state() {
  return {{"momentum_buffer", momentum_buffer_}, {"last_rate", last_rate_}};
}

void Nag::step(double learning_rate, double gradient_scale) {
  ++steps_;
  double& last_rate = *last_rate_.data_ptr<double>();
  const double momentum = options_.momentum;
  const double correction = last_rate > 0 ? learning_rate / last_rate : learning_rate;
  const at::Tensor gradient = parameters_.gradients() * gradient_scale;
  at::Tensor& values = parameters_.values();
  if (options_.weight_decay != 0)
    values.mul_(1 - learning_rate * options_.weight_decay);
  values.add_(momentum_buffer_, momentum * momentum * correction);
  values.add_(gradient, -(1 + momentum) * learning_rate);
  momentum_buffer_.mul_(momentum * correction).add_(gradient, -learning_rate);
  last_rate = learning_rate;
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq
