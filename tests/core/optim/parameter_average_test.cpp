#include "core/optim/parameter_average.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

namespace phraseq {
namespace {

struct OneVector : torch::nn::Module {
  OneVector() { register_parameter("weight", at::tensor({1.0, -2.0, 0.1}, at::kDouble)); }
};

struct AverageOfVector : ::testing::Test {
  AverageOfVector() : flat(module, /*with_gradients=*/true) {}
  at::Tensor values() { return flat.values().slice(0, 0, 3); }
  double second(const at::Tensor& tensor) { return tensor[1].item<double>(); }

  OneVector module;
  nn::FlatParameters flat;
};

TEST_F(AverageOfVector, DecaysTowardsTheParametersAfterTheStart) {
  MovingAverageOptions options;
  options.ema_decay = 0.75;
  options.ema_start_update = 2;
  ParameterAverage average(options, flat);
  values().fill_(4.0);
  average.update(1);  // before the start: a copy
  EXPECT_EQ(second(average.other()), 4.0);
  values().fill_(8.0);
  average.update(2);
  EXPECT_EQ(second(average.other()), 0.75 * 4 + 0.25 * 8);
  average.update(3);
  EXPECT_EQ(second(average.other()), 0.75 * 5 + 0.25 * 8);
}

TEST_F(AverageOfVector, BeginsWithTheFirstParametersAndSkipsUpdates) {
  MovingAverageOptions options;
  options.ema_decay = 0.5;
  options.ema_update_freq = 3;
  ParameterAverage average(options, flat);
  values().fill_(2.0);
  for (const int64_t update : {1, 2, 4, 5}) average.update(update);
  EXPECT_EQ(second(average.other()), -2.0);
  average.update(6);
  EXPECT_EQ(second(average.other()), 0.0);
}

TEST_F(AverageOfVector, IsInUseOnlyWithinItsScopeAndComesBackBitForBit) {
  MovingAverageOptions options;
  options.store_ema = true;  // fairseq's default decay
  ParameterAverage average(options, flat);
  const at::Tensor start = flat.values().clone();
  flat.values().mul_(3.3);
  flat.refresh_bf16();
  const at::Tensor trained = flat.values().clone();
  average.update(1);
  const at::Tensor expected = start * 0.9999 + trained * (1 - 0.9999);
  {
    const AverageInUse in_use(&average);
    EXPECT_TRUE(at::allclose(flat.values(), expected, 1e-15, 1e-15));
    EXPECT_TRUE(at::equal(average.other(), trained));
    EXPECT_TRUE(at::equal(flat.bf16(), flat.values().to(at::kBFloat16)));
  }
  EXPECT_TRUE(at::equal(flat.values(), trained));
  EXPECT_TRUE(at::equal(flat.bf16(), trained.to(at::kBFloat16)));
  const AverageInUse nothing(nullptr);
}

TEST_F(AverageOfVector, IsOffByDefaultAndOnByEitherOption) {
  MovingAverageOptions options;
  EXPECT_FALSE(options.enabled());
  options.ema_decay = 0.9;
  EXPECT_TRUE(options.enabled());
  options.ema_decay = 0;
  options.store_ema = true;
  EXPECT_TRUE(options.enabled());
}

}  // namespace
}  // namespace phraseq
