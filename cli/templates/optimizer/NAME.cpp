#include "@name@.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/zeros_like.h>

namespace @name@_plugin {

Signum::Signum(const Settings& options, const phraseq::OptimizerSetup& setup)
    : options_(options),
      parameters_(*setup.parameters),
      momentum_(at::zeros_like(parameters_.values())) {}

void Signum::step(double learning_rate, double gradient_scale) {
  const at::NoGradGuard no_gradients;
  momentum_.mul_(options_.momentum)
      .add_(parameters_.gradients(), (1 - options_.momentum) * gradient_scale);
  parameters_.values().sub_(at::sign(momentum_), learning_rate);
  if (parameters_.bf16().defined())
    parameters_.refresh_bf16();
  ++steps_;
}

}  // namespace @name@_plugin
