#include "core/optim/optimizers/adam.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "core/optim/run_update.h"
#include "core/optim/sixteen_bit_copies.h"
#include "core/optim/update_kernels.h"
#include "core/options/require_valid.h"

namespace phraseq {
namespace {

template <class T>
kernels::AdamCoefficients<T> rounded_to(const kernels::AdamCoefficients<double>& by) {
  return {static_cast<T>(by.beta1),
          static_cast<T>(by.rest1),
          static_cast<T>(by.beta2),
          static_cast<T>(by.rest2),
          static_cast<T>(by.decay_factor),
          static_cast<T>(by.step),
          static_cast<T>(by.eps)};
}

}  // namespace

void AdamOptions::describe(OptionTable& table) {
  table
      .field("adam-betas",
             adam_betas,
             "Betas of Adam: decay rates of the averages of the gradient and of its square.")
      .in(0.0, 1.0);
  table
      .field("adam-eps",
             adam_eps,
             "Epsilon of Adam, added to the denominator for numerical stability.")
      .in(1e-30, 1);
  table
      .field(
          "weight-decay",
          weight_decay,
          "Decoupled weight decay: each update multiplies the parameters by 1 - lr * weight decay.")
      .at_least(0);
}

std::vector<std::string> AdamOptions::problems() const {
  if (adam_betas.size() != 2)
    return {"--adam-betas needs two numbers, such as 0.9,0.98"};
  for (const double beta : adam_betas) {
    if (!(beta >= 0 && beta < 1))
      return {"--adam-betas needs numbers of at least 0 and less than 1"};
  }
  return {};
}

Adam::Adam(const AdamOptions& options, const OptimizerSetup& setup, AdamKernel kernel)
    : options_(options), parameters_(*setup.parameters), kernel_(kernel) {
  require_valid(options);
  exp_avg_ = at::zeros_like(parameters_.values());
  exp_avg_sq_ = at::zeros_like(parameters_.values());
}

std::map<std::string, at::Tensor> Adam::state() {
  return {{"exp_avg", exp_avg_}, {"exp_avg_sq", exp_avg_sq_}};
}

Adam::Coefficients Adam::next_step(double learning_rate) {
  const auto t = static_cast<double>(++steps_);
  const double beta1 = options_.adam_betas[0], beta2 = options_.adam_betas[1];
  const double correction1 = 1 - std::pow(options_.adam_betas[0], t);
  const double root2 = std::sqrt(1 - std::pow(options_.adam_betas[1], t));
  return {beta1,
          1 - beta1,
          beta2,
          1 - beta2,
          1 - learning_rate * options_.weight_decay,
          learning_rate * root2 / correction1,
          options_.adam_eps * (options_.eps_before_correction ? 1.0 : root2)};
}

void Adam::step(double learning_rate, double gradient_scale) {
  const Coefficients by = next_step(learning_rate);
  run_update(
      parameters_,
      [&]<class T>(T) { step_with_kernel<T>(by, gradient_scale); },
      [&] { step_with_operators(by, gradient_scale); });
}

template <class T>
void Adam::step_with_kernel(const Coefficients& by, double gradient_scale) {
  const kernels::AdamStep<T> update{rounded_to<T>(by), static_cast<T>(gradient_scale)};
  T* p = parameters_.values().data_ptr<T>();
  const T* g = parameters_.gradients().data_ptr<T>();
  T* m = exp_avg_.data_ptr<T>();
  T* v = exp_avg_sq_.data_ptr<T>();
  nn::kernels::Bfloat16* bf16 = bf16_data(parameters_);
  for_each_block(parameters_.values().numel(), [=](int64_t at, int64_t size) {
    update_loops<T>().adam(
        update, size, p + at, g + at, m + at, v + at, bf16 == nullptr ? nullptr : bf16 + at);
  });
}

template <class Beta>
void Adam::update_averages(const at::Tensor& gradient,
                           const Coefficients& by,
                           const Beta& beta1,
                           const Beta& beta2) {
  exp_avg_.mul_(beta1).add_(gradient, by.rest1);
  exp_avg_sq_.mul_(beta2).addcmul_(gradient, gradient, by.rest2);
}

at::Tensor Adam::subtract_step(const at::Tensor& decayed, const Coefficients& by) const {
  return decayed.addcdiv_(exp_avg_, exp_avg_sq_.sqrt().add_(by.eps), -by.step);
}

void Adam::step_with_operators(const Coefficients& by, double gradient_scale) {
  update_averages(parameters_.gradients() * gradient_scale, by, by.beta1, by.beta2);
  subtract_step(parameters_.values().mul_(by.decay_factor), by);
  refresh_sixteen_bit_copies(parameters_);
}

bool Adam::can_step_if() const { return !uses_kernels(parameters_); }

void Adam::step_if(const at::Tensor& take_step,
                   double learning_rate,
                   const at::Tensor& gradient_scale) {
  const Coefficients by = next_step(learning_rate);
  if (const AdamKernel kernel = kernel_ != nullptr ? kernel_ : adam_kernel_for(parameters_))
    return kernel(pass_of(take_step, by, gradient_scale));
  step_if_with_operators(take_step, by, gradient_scale);
}

AdamPass Adam::pass_of(const at::Tensor& take_step,
                       const Coefficients& by,
                       const at::Tensor& gradient_scale) {
  const at::Tensor& bf16 = parameters_.bf16();
  return {parameters_.values(),
          parameters_.gradients(),
          exp_avg_,
          exp_avg_sq_,
          bf16.defined() ? bf16 : parameters_.fp16(),
          take_step,
          gradient_scale,
          rounded_to<float>(by)};
}

void Adam::step_if_with_operators(const at::Tensor& take_step,
                                  const Coefficients& by,
                                  const at::Tensor& gradient_scale) {
  at::Tensor& values = parameters_.values();
  // A beta if the step is taken, otherwise 1, which changes nothing; [] in the parameters' type.
  const auto if_taken = [&](double beta) {
    return at::full({}, 1.0, values.options()).masked_fill_(take_step, beta);
  };
  const at::Tensor scaled = parameters_.gradients() * gradient_scale.to(values.scalar_type());
  const at::Tensor gradient = scaled.masked_fill(take_step.logical_not(), 0);
  update_averages(gradient, by, if_taken(by.beta1), if_taken(by.beta2));
  const at::Tensor stepped = subtract_step(values * by.decay_factor, by);
  values.copy_(at::where(take_step, stepped, values));
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq
