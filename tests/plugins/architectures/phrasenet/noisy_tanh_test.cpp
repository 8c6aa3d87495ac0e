// Compares the noisy tanh in training with the authors' formulas for given noise.

#include "plugins/architectures/phrasenet/noisy_tanh.h"

#include <vector>

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/options/enum_name.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrasenet {
namespace {

at::Tensor numbers(const nlohmann::json& list) {
  return at::tensor(list.get<std::vector<double>>(), at::kDouble);
}

/// What the gate's activation adds in training to its value without noise, with p = 1.
at::Tensor noise_of_gate(PhraseNetOptions options, const at::Tensor& x) {
  options.gate_hidden = x.size(1);
  torch::nn::Module owner;
  GateActivation activation(owner, "p", options);
  for (at::Tensor& p : owner.parameters()) p.fill_(1.0);
  owner.to(at::kDouble);
  nn::Context pass(/*training=*/true, nn::Precision::kFp64, /*seed=*/3, nullptr);
  return activation.forward(x, pass) - noisy_tanh(x, {}, {.alpha = options.noise_alpha});
}

TEST(NoisyTanh, HasTheValuesOfThePublishedUnits) {
  const nlohmann::json cases = testing_support::golden_values("noisy_tanh");
  ASSERT_EQ(cases.size(), 9u);
  for (const auto& one : cases) {
    NoiseShape shape{one["c"], one["alpha"], one["half_normal"]};
    if (!one["p"].is_null())
      shape.p = numbers(one["p"]);
    const at::Tensor y = noisy_tanh(numbers(one["x"]), numbers(one["drawn"]), shape);
    EXPECT_LT((y - numbers(one["y"])).abs().max().item<double>(), 1e-14) << one.dump();
  }
}

/// The option selects the unit: fixed noise is NTanh; the others have a learned p, which is 1 at
/// first.
TEST(NoisyTanh, OfTheGateIsTheOneThatTheOptionNames) {
  at::NoGradGuard no_grad;
  const at::Tensor x = at::tensor({-3.0, -1.5, 0.5, 1.75, 2.5}, at::kDouble).view({1, 5});
  const auto noise_of = [&](const char* name) {
    PhraseNetOptions options;
    options.gate_act = enum_value(kGateFunctionNames, name).value();
    return noise_of_gate(options, x);
  };
  const at::Tensor delta = x.abs() - 1;
  const at::Tensor fixed = (delta * delta).sigmoid() - 0.5, learned = delta.sigmoid() - 0.5;
  const at::Tensor is_bent = delta > 0;
  const at::Tensor ratio = noise_of("noisy-tanh-fixed") / noise_of("noisy-tanh");
  const at::Tensor expected = fixed * fixed / (learned * learned);
  EXPECT_LT((ratio - expected).masked_select(is_bent).abs().max().item<double>(), 1e-9);
}

TEST(NoisyTanh, OfTheGateIsHalfNormalWithTheOptionsScaleAndAlpha) {
  at::NoGradGuard no_grad;
  const at::Tensor x = (at::arange(64, at::kDouble) / 6.3 - 5).view({1, 64});
  PhraseNetOptions options;
  const at::Tensor normal = noise_of_gate(options, x);
  ASSERT_TRUE((normal * x).gt(0).any().item<bool>() && (normal * x).lt(0).any().item<bool>());
  options.gate_act = GateFunction::kHalfNormal;
  // With alpha > 1, |ε| pushes away from zero.
  const at::Tensor half = noise_of_gate(options, x);
  EXPECT_LT((half - x.sign() * normal.abs()).abs().max().item<double>(), 1e-12);
  options.noise_c = 0.25;
  EXPECT_LT((noise_of_gate(options, x) - half / 2).abs().max().item<double>(), 1e-12);
  options.noise_alpha = 0.9;  // the mean and the direction change
  EXPECT_LT((noise_of_gate(options, x) + half / 2).abs().max().item<double>(), 1e-12);
}

}  // namespace
}  // namespace phraseq::phrasenet
