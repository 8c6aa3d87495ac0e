#include "core/nn/initializer.h"

#include <cmath>
#include <numbers>

#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

constexpr int64_t kIn = 96, kOut = 64;
const double kGlorot = std::sqrt(6.0 / (kIn + kOut));
const double kFanIn = 1.0 / std::sqrt(static_cast<double>(kIn));

struct Drawn {
  at::Tensor weight = at::empty({kOut, kIn}, at::kFloat);
  at::Tensor bias = at::empty({4096}, at::kFloat);
};

Drawn drawn_map(InitializationStyle style, MapRole role) {
  Drawn drawn;
  Initializer(style, 7).map(drawn.weight, drawn.bias, role);
  return drawn;
}

at::Tensor drawn_embedding(InitializationStyle style, int64_t padding_row) {
  at::Tensor table = at::empty({200, 56}, at::kFloat);
  Initializer(style, 7).embedding(table, padding_row);
  return table;
}

/// Expects values evenly spread over all of (-limit, limit): the mean of thousands of squares is
/// limit²/3.
void expect_uniform(const at::Tensor& values, double limit) {
  const at::Tensor wide = values.to(at::kDouble);
  EXPECT_LE(wide.abs().max().item<double>(), limit * (1 + 1e-6));
  EXPECT_GE(wide.max().item<double>(), 0.99 * limit);
  EXPECT_LE(wide.min().item<double>(), -0.99 * limit);
  EXPECT_NEAR(wide.square().mean().item<double>(), limit * limit / 3, 0.02 * limit * limit);
  EXPECT_NEAR(wide.mean().item<double>(), 0.0, 0.03 * limit);
}

void expect_normal(const at::Tensor& values, double deviation) {
  const at::Tensor scaled = values.to(at::kDouble) / deviation;
  EXPECT_NEAR(scaled.mean().item<double>(), 0.0, 0.04);
  EXPECT_NEAR(scaled.square().mean().item<double>(), 1.0, 0.05);
  EXPECT_NEAR(scaled.pow(4).mean().item<double>(), 3.0, 0.4);
  EXPECT_GT(scaled.abs().max().item<double>(), 3.0);
}

TEST(Initializer, DrawsFairseqsAttentionInputsWithASmallerGlorotLimit) {
  const Drawn drawn = drawn_map(InitializationStyle::kFairseq, MapRole::kAttentionInput);
  expect_uniform(drawn.weight, kGlorot / std::numbers::sqrt2);
  expect_uniform(drawn.bias, kFanIn);
}

TEST(Initializer, DrawsFairseqsAttentionOutputsGlorotWithoutBias) {
  const Drawn drawn = drawn_map(InitializationStyle::kFairseq, MapRole::kAttentionOutput);
  expect_uniform(drawn.weight, kGlorot);
  EXPECT_EQ(drawn.bias.abs().max().item<float>(), 0.0F);
}

TEST(Initializer, DrawsFairseqsFeedForwardMapsByTheirInputs) {
  const Drawn drawn = drawn_map(InitializationStyle::kFairseq, MapRole::kFeedForward);
  expect_uniform(drawn.weight, kFanIn);
  expect_uniform(drawn.bias, kFanIn);
}

TEST(Initializer, DrawsTheOtherStylesAlikeForEveryRole) {
  for (const MapRole role :
       {MapRole::kAttentionInput, MapRole::kAttentionOutput, MapRole::kFeedForward}) {
    const Drawn glorot = drawn_map(InitializationStyle::kTensor2Tensor, role);
    expect_uniform(glorot.weight, kGlorot);
    EXPECT_EQ(glorot.bias.abs().max().item<float>(), 0.0F);
    const Drawn fan_in = drawn_map(InitializationStyle::kNeutron, role);
    expect_uniform(fan_in.weight, kFanIn);
    EXPECT_EQ(fan_in.bias.abs().max().item<float>(), 0.0F);
  }
}

TEST(Initializer, TakesTheFanOfAConvolutionFromItsCaller) {
  at::Tensor kernel = at::empty({3, kIn, kOut}, at::kFloat);
  at::Tensor no_bias;
  Initializer(InitializationStyle::kTensor2Tensor, 7)
      .map(kernel, no_bias, MapRole::kAttentionInput, {3.0 * kIn, 3.0 * kOut});
  expect_uniform(kernel, kGlorot / std::sqrt(3.0));
  EXPECT_FALSE(no_bias.defined());
}

TEST(Initializer, DrawsEmbeddingsWithDeviationOneOverTheRootOfTheWidth) {
  expect_normal(drawn_embedding(InitializationStyle::kFairseq, -1), 1.0 / std::sqrt(56.0));
  expect_normal(drawn_embedding(InitializationStyle::kTensor2Tensor, 1), 1.0 / std::sqrt(56.0));
}

TEST(Initializer, DrawsNeutronsEmbeddingsUniformly) {
  expect_uniform(drawn_embedding(InitializationStyle::kNeutron, 1), std::sqrt(2.0 / (200 + 56)));
}

TEST(Initializer, ClearsThePaddingRowOnlyInFairseqsStyle) {
  const auto largest = [](InitializationStyle style, int64_t row) {
    return drawn_embedding(style, 1).select(0, row).abs().max().item<float>();
  };
  EXPECT_EQ(largest(InitializationStyle::kFairseq, 1), 0.0F);
  EXPECT_GT(largest(InitializationStyle::kFairseq, 0), 0.0F);
  EXPECT_GT(largest(InitializationStyle::kFairseq, 2), 0.0F);
  EXPECT_GT(largest(InitializationStyle::kTensor2Tensor, 1), 0.0F);
  EXPECT_GT(largest(InitializationStyle::kNeutron, 1), 0.0F);
}

TEST(Initializer, StartsNormsAtTheIdentity) {
  at::Tensor gain = at::full({5}, 9.0), bias = at::full({5}, 9.0);
  Initializer(InitializationStyle::kFairseq, 7).norm(gain, bias);
  EXPECT_TRUE(at::equal(gain, at::ones({5})));
  EXPECT_TRUE(at::equal(bias, at::zeros({5})));
}

TEST(Initializer, DrawsTheSameNumbersFromTheSameSeedInEveryType) {
  const auto first_weights = [](uint64_t seed, at::ScalarType type) {
    at::Tensor weight = at::empty({kOut, kIn}, type);
    at::Tensor no_bias;
    Initializer(InitializationStyle::kFairseq, seed).map(weight, no_bias, MapRole::kFeedForward);
    return weight;
  };
  const at::Tensor single = first_weights(3, at::kFloat);
  EXPECT_TRUE(at::equal(single, first_weights(3, at::kFloat)));
  EXPECT_TRUE(at::equal(single, first_weights(3, at::kDouble).to(at::kFloat)));
  EXPECT_FALSE(at::equal(single, first_weights(4, at::kFloat)));
}

}  // namespace
}  // namespace phraseq::nn
