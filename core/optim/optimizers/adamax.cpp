#include "core/optim/optimizers/adamax.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros_like.h>

#include "core/optim/sixteen_bit_copies.h"
#include "core/options/require_valid.h"

namespace phraseq {

void AdamaxOptions::describe(OptionTable& table) {
  table.field("adamax-betas", adamax_betas, "Betas for the Adamax optimizer.");
  table
      .field(
          "adamax-eps", adamax_eps, "Epsilon added to the infinity norm for numerical stability.")
      .in(1e-30, 1.0);
  table.field("weight-decay", weight_decay, "Weight decay, decoupled from the gradient.")
      .at_least(0);
  table.field("no-bias-correction", no_bias_correction, "Disable the bias correction.");
}

std::vector<std::string> AdamaxOptions::problems() const {
  const auto legal = [](double beta) { return beta >= 0 && beta < 1; };
  if (adamax_betas.size() == 2 && std::all_of(adamax_betas.begin(), adamax_betas.end(), legal))
    return {};
  return {"--adamax-betas needs two numbers of at least 0 and less than 1"};
}

Adamax::Adamax(const AdamaxOptions& options, const OptimizerSetup& setup)
    : options_(options),
      parameters_(*setup.parameters),
      exp_avg_(at::zeros_like(parameters_.values())),
      exp_inf_(at::zeros_like(parameters_.values())) {
  require_valid(options);
}

std::map<std::string, at::Tensor> Adamax::state() {
  return {{"exp_avg", exp_avg_}, {"exp_inf", exp_inf_}};
}

void Adamax::step(double learning_rate, double gradient_scale) {
  ++steps_;
  const double beta1 = options_.adamax_betas[0];
  at::Tensor gradient = parameters_.gradients() * gradient_scale;
  exp_avg_.mul_(beta1).add_(gradient, 1 - beta1);
  at::maximum_out(exp_inf_, exp_inf_.mul_(options_.adamax_betas[1]), gradient.abs_());
  double step_size = learning_rate;
  if (!options_.no_bias_correction)
    step_size /= 1 - std::pow(beta1, static_cast<double>(steps_));
  at::Tensor& values = parameters_.values();
  if (options_.weight_decay != 0)
    values.mul_(1 - options_.weight_decay * learning_rate);
  values.addcdiv_(exp_avg_, exp_inf_ + options_.adamax_eps, -step_size);
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq
