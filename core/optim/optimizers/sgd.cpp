#include "core/optim/optimizers/sgd.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include "core/optim/run_update.h"
#include "core/optim/sixteen_bit_copies.h"
#include "core/optim/update_kernels.h"
#include "core/options/require_valid.h"

namespace phraseq {

void SgdOptions::describe(OptionTable& table) {
  table.field("momentum", momentum, "Momentum factor.").in(0.0, 1.0);
  table.field("nesterov", nesterov, "Use Nesterov momentum.");
  table.field("weight-decay", weight_decay, "Weight decay (L2 penalty).").at_least(0);
}

std::vector<std::string> SgdOptions::problems() const {
  if (nesterov && momentum == 0)
    return {"--nesterov needs a --momentum above 0"};
  return {};
}

Sgd::Sgd(const SgdOptions& options, const OptimizerSetup& setup)
    : options_(options), parameters_(*setup.parameters) {
  require_valid(options);
  momentum_buffer_ = at::zeros_like(parameters_.values());
}

std::map<std::string, at::Tensor> Sgd::state() { return {{"momentum_buffer", momentum_buffer_}}; }

void Sgd::step(double learning_rate, double gradient_scale) {
  ++steps_;
  run_update(
      parameters_,
      [&]<class T>(T) { step_with_kernel<T>(learning_rate, gradient_scale); },
      [&] { step_with_operators(learning_rate, gradient_scale); });
}

template <class T>
void Sgd::step_with_kernel(double learning_rate, double gradient_scale) {
  const kernels::SgdStep<T> by{static_cast<T>(options_.momentum),
                               static_cast<T>(options_.weight_decay),
                               static_cast<T>(learning_rate),
                               static_cast<T>(gradient_scale),
                               options_.nesterov};
  T* p = parameters_.values().data_ptr<T>();
  const T* g = parameters_.gradients().data_ptr<T>();
  T* b = momentum_buffer_.data_ptr<T>();
  nn::kernels::Bfloat16* bf16 = bf16_data(parameters_);
  for_each_block(parameters_.values().numel(), [=](int64_t at, int64_t size) {
    update_loops<T>().sgd(by, size, p + at, g + at, b + at, bf16 == nullptr ? nullptr : bf16 + at);
  });
}

void Sgd::step_with_operators(double learning_rate, double gradient_scale) {
  at::Tensor gradient = parameters_.gradients() * gradient_scale;
  gradient.add_(parameters_.values(), options_.weight_decay);
  momentum_buffer_.mul_(options_.momentum).add_(gradient);
  if (options_.nesterov)
    gradient.add_(momentum_buffer_, options_.momentum);
  parameters_.values().add_(options_.nesterov ? gradient : momentum_buffer_, -learning_rate);
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq
