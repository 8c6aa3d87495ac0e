#include <cmath>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/base/error.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/optim/optimizers/adadelta.h"
#include "core/optim/optimizers/adam.h"
#include "core/optim/optimizers/sgd.h"

namespace phraseq {
namespace {

constexpr int64_t kMany = 40'003;  // several update blocks, and a rest

struct OneParameter : torch::nn::Module {
  explicit OneParameter(const at::Tensor& value) {
    weight = register_parameter("weight", value.clone());
  }
  at::Tensor weight;
};

/// A module of one parameter in flat buffers.
struct Model {
  explicit Model(const at::Tensor& value) : module(value), flat(module, /*with_gradients=*/true) {}
  OptimizerSetup setup() { return {&flat}; }
  at::Tensor values() { return flat.values().slice(0, 0, size()); }
  void set_gradients(const at::Tensor& gradients) {
    flat.gradients().zero_();
    flat.gradients().slice(0, 0, size()).copy_(gradients);
  }
  int64_t size() { return module.weight.numel(); }

  OneParameter module;
  nn::FlatParameters flat;
};

at::Tensor doubles(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

AdamOptions adam_options(double weight_decay) {
  AdamOptions options;
  options.adam_betas = {0.9, 0.98};
  options.adam_eps = 1e-3;
  options.weight_decay = weight_decay;
  return options;
}

TEST(Adam, HasFairseqsFirstAndSecondUpdate) {
  Model model(doubles({1.0, -2.0}));
  Adam adam(adam_options(0.1), model.setup());
  model.set_gradients(doubles({0.5, -0.25}));
  adam.step(0.01, 2.0);  // gradients 1 and -0.5
  // m = 0.1 g, v = 0.02 g², √c2/c1 = √0.02/0.1: p = 0.999 p - 0.01 √0.02 g / (√0.02 |g| + 0.001)
  const double root = std::sqrt(0.02);
  const double first = 0.999 * 1.0 - 0.01 * root / (root + 0.001);
  EXPECT_NEAR(model.values()[0].item<double>(), first, 1e-15);
  EXPECT_NEAR(model.values()[1].item<double>(),
              0.999 * -2 + 0.01 * root * 0.5 / (root * 0.5 + 0.001),
              1e-15);

  model.set_gradients(doubles({-0.5, 0.0}));
  adam.step(0.02, 1.0);
  const double m = 0.9 * 0.1 + 0.1 * -0.5;
  const double v = 0.98 * 0.02 + 0.02 * 0.25;
  const double step = 0.02 * std::sqrt(1 - 0.98 * 0.98) / (1 - 0.9 * 0.9);
  EXPECT_NEAR(
      model.values()[0].item<double>(), 0.998 * first - step * m / (std::sqrt(v) + 0.001), 1e-15);
  EXPECT_EQ(adam.steps(), 2);
  EXPECT_NEAR(adam.state().at("exp_avg")[0].item<double>(), m, 1e-16);
  EXPECT_NEAR(adam.state().at("exp_avg_sq")[0].item<double>(), v, 1e-16);
}

TEST(Adam, AsAdamwIsTorchsFusedAdamw) {
  at::manual_seed(3);
  const at::Tensor start = at::randn({kMany}, at::kDouble);
  Model model(start);
  AdamWOptions options;
  options.adam_betas = {0.9, 0.98};
  options.adam_eps = 1e-4;
  options.weight_decay = 0.05;
  Adam adam(options, model.setup());
  at::Tensor p = start.clone();
  at::Tensor m = at::zeros_like(p);
  at::Tensor v = at::zeros_like(p);
  for (int step = 1; step <= 3; ++step) {
    const at::Tensor gradient = at::randn({kMany}, at::kDouble);
    model.set_gradients(gradient);
    adam.step(0.01, 1.0);
    at::_fused_adamw_({p},
                      {gradient.clone()},
                      {m},
                      {v},
                      {},
                      {at::tensor({float(step)})},
                      0.01,
                      0.9,
                      0.98,
                      0.05,
                      1e-4,
                      false,
                      false);
    EXPECT_LT((model.values() - p).abs().max().item<double>(), 1e-13) << "step " << step;
  }
}

TEST(Adam, WithAndWithoutEpsBeforeTheCorrectionDiffersInTheFirstUpdate) {
  Model as_fairseq(doubles({0.0}));
  Model as_torch(doubles({0.0}));
  AdamWOptions torchs;
  torchs.adam_betas = {0.9, 0.98};
  torchs.adam_eps = 1e-3;
  Adam one(adam_options(0), as_fairseq.setup());
  Adam two(torchs, as_torch.setup());
  as_fairseq.set_gradients(doubles({1e-3}));
  as_torch.set_gradients(doubles({1e-3}));
  one.step(1.0, 1.0);
  two.step(1.0, 1.0);
  const double root = std::sqrt(0.02);
  EXPECT_NEAR(as_fairseq.values()[0].item<double>(), -root / (root + 1), 1e-14);
  EXPECT_NEAR(as_torch.values()[0].item<double>(), -0.5, 1e-14);
}

TEST(Adam, InFloatStaysWithinRoundingOfDouble) {
  at::manual_seed(4);
  const at::Tensor start = at::randn({kMany}, at::kFloat);
  Model single(start);
  Model exact(start.to(at::kDouble));
  Adam first(adam_options(0.1), single.setup());
  Adam second(adam_options(0.1), exact.setup());
  for (int step = 0; step < 4; ++step) {
    const at::Tensor gradient = at::randn({kMany}, at::kFloat);
    single.set_gradients(gradient);
    exact.set_gradients(gradient.to(at::kDouble));
    first.step(0.01, 0.5);
    second.step(0.01, 0.5);
  }
  // Four updates of at most a few units in the last place of |p| < 8.
  EXPECT_LT((single.values().to(at::kDouble) - exact.values()).abs().max().item<double>(), 4e-6);
}

TEST(Adam, IsBitExactlyTheSameWithAnyNumberOfThreads) {
  at::manual_seed(5);
  const at::Tensor start = at::randn({kMany}, at::kFloat);
  const at::Tensor gradient = at::randn({kMany}, at::kFloat);
  const int threads = at::get_num_threads();
  std::vector<at::Tensor> results;
  for (const int count : {1, 2, 3}) {
    at::set_num_threads(count);
    Model model(start);
    Adam adam(adam_options(0.1), model.setup());
    for (int step = 0; step < 3; ++step) {
      model.set_gradients(gradient);
      adam.step(0.01, 0.7);
    }
    results.push_back(model.values().clone());
  }
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(results[0], results[1]));
  EXPECT_TRUE(at::equal(results[0], results[2]));
}

TEST(Adam, RenewsTheBf16CopyAsTorchRounds) {
  at::manual_seed(6);
  Model model(at::randn({1'037}, at::kFloat));
  model.flat.refresh_bf16();
  Adam adam(adam_options(0), model.setup());
  model.set_gradients(at::randn({1'037}, at::kFloat));
  adam.step(0.1, 1.0);
  EXPECT_TRUE(at::equal(model.flat.bf16(), model.flat.values().to(at::kBFloat16)));
}

/// On a GPU, it is known on the device first whether an update is finite.
TEST(Adam, StepsOnTheDevicesConditionWithTheSameBits) {
  const nn::OperatorsOnly as_on_a_gpu;
  at::manual_seed(3);
  const at::Tensor start = at::randn({77});
  Model told(start), asked(start);
  Adam by_host(adam_options(0.1), told.setup()), by_device(adam_options(0.1), asked.setup());
  ASSERT_TRUE(by_device.can_step_if());
  const at::Tensor yes = at::ones({}, at::kBool), no = at::zeros({}, at::kBool);
  for (int update = 0; update < 4; ++update) {
    const at::Tensor gradients = at::randn({77});
    told.set_gradients(gradients);
    by_host.step(0.01, 0.3 + update);
    asked.set_gradients(at::full({77}, std::nan("")));
    const at::Tensor before = asked.values().clone();
    by_device.step_if(no, 0.01, at::full({}, std::nan(""), at::kDouble));
    EXPECT_TRUE(at::equal(asked.values(), before));
    by_device.set_steps(by_device.steps() - 1);
    asked.set_gradients(gradients);
    by_device.step_if(yes, 0.01, at::full({}, 0.3 + update, at::kDouble));
    EXPECT_TRUE(at::equal(asked.values(), told.values())) << update;
  }
  for (const auto& [name, state] : by_host.state())
    EXPECT_TRUE(at::equal(state, by_device.state().at(name))) << name;
}

TEST(Adam, WithKernelsStepsOnTheHostsConditionOnly) {
  Model model(at::ones({3}));
  EXPECT_FALSE(Adam(adam_options(0), model.setup()).can_step_if());
  EXPECT_FALSE(Sgd(SgdOptions(), model.setup()).can_step_if());
}

TEST(Adam, RejectsInvalidBetas) {
  AdamOptions options;
  options.adam_betas = {0.9};
  EXPECT_EQ(options.problems().size(), 1U);
  options.adam_betas = {0.9, 1.0};
  Model model(doubles({1}));
  EXPECT_THROW(Adam(options, model.setup()), UsageError);
}

TEST(Sgd, IsThePlainGradientStep) {
  Model model(doubles({1.0, -2.0}));
  SgdOptions options;
  options.weight_decay = 0.1;
  Sgd sgd(options, model.setup());
  model.set_gradients(doubles({3.0, 5.0}));
  sgd.step(0.5, 0.2);
  EXPECT_NEAR(model.values()[0].item<double>(), 1.0 - 0.5 * (0.6 + 0.1), 1e-15);
  EXPECT_NEAR(model.values()[1].item<double>(), -2.0 - 0.5 * (1.0 - 0.2), 1e-15);
}

TEST(Sgd, KeepsMomentumAndLooksAheadWithNesterov) {
  for (const bool nesterov : {false, true}) {
    Model model(doubles({0.0}));
    SgdOptions options;
    options.momentum = 0.5;
    options.nesterov = nesterov;
    Sgd sgd(options, model.setup());
    model.set_gradients(doubles({1.0}));
    sgd.step(1.0, 1.0);  // b = 1
    sgd.step(1.0, 1.0);  // b = 1.5
    EXPECT_NEAR(model.values()[0].item<double>(), nesterov ? -(1.5 + 1.75) : -(1.0 + 1.5), 1e-15);
  }
}

TEST(Sgd, RejectsNesterovWithoutMomentum) {
  SgdOptions options;
  options.nesterov = true;
  EXPECT_EQ(options.problems().size(), 1U);
}

TEST(Adadelta, FollowsAlgorithmOne) {
  Model model(doubles({0.3}));
  AdadeltaOptions options;
  options.adadelta_rho = 0.9;
  options.adadelta_eps = 0.01;
  Adadelta adadelta(options, model.setup());
  double p = 0.3;
  double a = 0;
  double d = 0;
  for (const double gradient : {1.0, -0.5, 2.0}) {
    model.set_gradients(doubles({gradient}));
    adadelta.step(0.7, 1.0);
    a = 0.9 * a + 0.1 * gradient * gradient;
    const double delta = std::sqrt(d + 0.01) / std::sqrt(a + 0.01) * gradient;
    d = 0.9 * d + 0.1 * delta * delta;
    p -= 0.7 * delta;
    EXPECT_NEAR(model.values()[0].item<double>(), p, 1e-15);
  }
}

}  // namespace
}  // namespace phraseq
