// The CUDA kernel within training: compiled as C++, it steps the parameters.

#include "core/optim/optimizers/device/adam_kernel.h"

#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/nn/functional/reference/operators_only.h"
#include "core/optim/optimizers/adam.h"
#include "tests/core/cuda/kernels_on_host.h"

namespace phraseq {
namespace {

struct OneParameter : torch::nn::Module {
  explicit OneParameter(const at::Tensor& value) {
    weight = register_parameter("weight", value.clone());
  }
  at::Tensor weight;
};

int calls = 0;

template <class Device>
void run(const AdamPass& pass) {
  ++calls;
  const typename Device::AdamStep by{pass.by.beta1,
                                     pass.by.rest1,
                                     pass.by.beta2,
                                     pass.by.rest2,
                                     pass.by.decay_factor,
                                     pass.by.step,
                                     pass.by.eps};
  const auto elements = pass.values.numel();
  auto* const copy =
      pass.copy.defined() ? static_cast<typename Device::Element*>(pass.copy.data_ptr()) : nullptr;
  cuda::on_host::run(static_cast<unsigned>(elements), 1, [&] {
    Device::adam(pass.values.data_ptr<float>(),
                 pass.gradients.data_ptr<float>(),
                 pass.exp_avg.data_ptr<float>(),
                 pass.exp_avg_sq.data_ptr<float>(),
                 copy,
                 pass.take_step.data_ptr<bool>(),
                 pass.scale.data_ptr<double>(),
                 elements,
                 by);
  });
}

void adam_on_host(const AdamPass& pass) {
  if (!pass.copy.defined())
    return run<cuda::on_host::Fp32>(pass);
  if (pass.copy.scalar_type() == at::kBFloat16)
    return run<cuda::on_host::Bf16>(pass);
  run<cuda::on_host::Fp16>(pass);
}

class AdamKernelInTraining : public ::testing::TestWithParam<nn::Precision> {
 protected:
  struct Trained {
    at::Tensor values, copy;
    std::map<std::string, at::Tensor> state;
  };

  static Trained train(bool with_kernel) {
    const nn::OperatorsOnly as_on_a_gpu;
    at::manual_seed(11);
    OneParameter module(at::randn({301}));
    nn::FlatParameters flat(module, /*with_gradients=*/true);
    flat.refresh_copy(GetParam());
    AdamOptions options;
    options.adam_betas = {0.9, 0.98};
    options.weight_decay = 0.1;
    Adam adam(options, {&flat}, with_kernel ? &adam_on_host : nullptr);
    for (const bool take_step : {true, false, true, true}) {
      flat.gradients().normal_();
      if (!take_step)
        flat.gradients().fill_(std::nan(""));
      adam.step_if(at::full({}, take_step, at::kBool), 0.01, at::full({}, 0.7, at::kDouble));
      if (!take_step)
        adam.set_steps(adam.steps() - 1);
    }
    const at::Tensor copy = flat.bf16().defined() ? flat.bf16() : flat.fp16();
    return {flat.values().clone(), copy.defined() ? copy.clone() : copy, adam.state()};
  }
};

TEST_P(AdamKernelInTraining, StepsAsTheOperators) {
  calls = 0;
  const Trained kernel = train(true);
  EXPECT_EQ(calls, 4);
  const Trained operators = train(false);
  EXPECT_EQ(calls, 4);
  EXPECT_LT((kernel.values - operators.values).abs().max().item<double>(), 1e-6);
  for (const auto& [name, tensor] : operators.state)
    EXPECT_LT((kernel.state.at(name) - tensor).abs().max().item<double>(), 1e-6) << name;
  if (operators.copy.defined()) {
    EXPECT_LT((kernel.copy - operators.copy).abs().max().item<double>(), 0.02);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions,
                         AdamKernelInTraining,
                         ::testing::Values(nn::Precision::kFp32,
                                           nn::Precision::kBf16,
                                           nn::Precision::kFp16));

TEST(AdamKernelFor, IsNullOnTheCpu) {
  OneParameter module(at::ones({3}));
  nn::FlatParameters flat(module, /*with_gradients=*/true);
  EXPECT_EQ(adam_kernel_for(flat), nullptr);
}

}  // namespace
}  // namespace phraseq
