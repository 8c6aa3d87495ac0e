#include "core/optim/optimizers/adadelta.h"

#include <ATen/ops/zeros_like.h>

#include "core/optim/run_update.h"
#include "core/optim/sixteen_bit_copies.h"
#include "core/optim/update_kernels.h"

namespace phraseq {

void AdadeltaOptions::describe(OptionTable& table) {
  table.field("adadelta-rho", adadelta_rho, "Decay rate of the running averages of squares (rho).")
      .in(0.0, 1.0);
  table
      .field(
          "adadelta-eps", adadelta_eps, "Epsilon added to both averages for numerical stability.")
      .in(1e-30, 1.0);
  table.field("weight-decay", weight_decay, "Weight decay (L2 penalty).").at_least(0);
}

Adadelta::Adadelta(const AdadeltaOptions& options, const OptimizerSetup& setup)
    : options_(options),
      parameters_(*setup.parameters),
      square_avg_(at::zeros_like(parameters_.values())),
      acc_delta_(at::zeros_like(parameters_.values())) {}

std::map<std::string, at::Tensor> Adadelta::state() {
  return {{"square_avg", square_avg_}, {"acc_delta", acc_delta_}};
}

void Adadelta::step(double learning_rate, double gradient_scale) {
  ++steps_;
  run_update(
      parameters_,
      [&]<class T>(T) { step_with_kernel<T>(learning_rate, gradient_scale); },
      [&] { step_with_operators(learning_rate, gradient_scale); });
}

template <class T>
void Adadelta::step_with_kernel(double learning_rate, double gradient_scale) {
  const kernels::AdadeltaStep<T> by{static_cast<T>(options_.adadelta_rho),
                                    static_cast<T>(1 - options_.adadelta_rho),
                                    static_cast<T>(options_.adadelta_eps),
                                    static_cast<T>(options_.weight_decay),
                                    static_cast<T>(learning_rate),
                                    static_cast<T>(gradient_scale)};
  T* p = parameters_.values().data_ptr<T>();
  const T* g = parameters_.gradients().data_ptr<T>();
  T* a = square_avg_.data_ptr<T>();
  T* d = acc_delta_.data_ptr<T>();
  nn::kernels::Bfloat16* bf16 = bf16_data(parameters_);
  for_each_block(parameters_.values().numel(), [=](int64_t at, int64_t size) {
    update_loops<T>().adadelta(
        by, size, p + at, g + at, a + at, d + at, bf16 == nullptr ? nullptr : bf16 + at);
  });
}

void Adadelta::step_with_operators(double learning_rate, double gradient_scale) {
  const double rho = options_.adadelta_rho;
  const double eps = options_.adadelta_eps;
  at::Tensor gradient = parameters_.gradients() * gradient_scale;
  gradient.add_(parameters_.values(), options_.weight_decay);
  square_avg_.mul_(rho).addcmul_(gradient, gradient, 1 - rho);
  const at::Tensor delta =
      (acc_delta_ + eps).sqrt_().div_((square_avg_ + eps).sqrt_()).mul_(gradient);
  acc_delta_.mul_(rho).addcmul_(delta, delta, 1 - rho);
  parameters_.values().add_(delta, -learning_rate);
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq
