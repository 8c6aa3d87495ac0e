#include "core/nn/functional/linear.h"

#include <limits>

#include <torch/nn/module.h>

#include "core/base/error.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/kernels/activation.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::expect_gradient;
using phraseq::testing::leaf;
using phraseq::testing::normal;

struct Case {
  Activation activation;
  bool with_bias;
  double dropout;
};

/// dropout(activation(x Wᵀ + bias)) from ATen's operators.
at::Tensor linear_by_operators(const at::Tensor& x,
                               const at::Tensor& weight,
                               const at::Tensor& bias,
                               Activation activation,
                               double p,
                               uint64_t key) {
  return reference::epilogue(at::linear(x, weight, bias), activation, p, key);
}

class LinearAgainstOperators : public ::testing::TestWithParam<Case> {};

TEST_P(LinearAgainstOperators, HasTheSameValueAndGradients) {
  const auto& [activation, with_bias, dropout] = GetParam();
  at::Tensor inputs[2][3], outputs[2];
  for (int side = 0; side < 2; ++side) {
    auto& [x, weight, bias] = inputs[side];
    x = leaf(normal({131, 7}, 1));
    weight = leaf(normal({19, 7}, 2));
    if (with_bias)
      bias = leaf(normal({19}, 3));
    Context context(true, Precision::kFp64, 11);
    Context twin(true, Precision::kFp64, 11);
    outputs[side] = side == 0 ? linear(x, weight, bias, context, activation, dropout)
                              : linear_by_operators(x,
                                                    weight,
                                                    bias,
                                                    activation,
                                                    dropout,
                                                    dropout > 0.0 ? twin.next_dropout_key() : 0);
    outputs[side].backward(normal({131, 19}, 4));
  }
  EXPECT_TRUE(close(outputs[0], outputs[1], 1e-13));
  for (int i = 0; i < (with_bias ? 3 : 2); ++i) {
    EXPECT_TRUE(close(inputs[0][i].grad(), inputs[1][i].grad(), 1e-12)) << "input " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Epilogues,
                         LinearAgainstOperators,
                         ::testing::Values(Case{Activation::kNone, false, 0.0},
                                           Case{Activation::kNone, true, 0.0},
                                           Case{Activation::kNone, true, 0.3},
                                           Case{Activation::kRelu, true, 0.0},
                                           Case{Activation::kRelu, false, 0.4},
                                           Case{Activation::kGelu, true, 0.2},
                                           Case{Activation::kGelu, false, 0.0},
                                           Case{Activation::kSwish, true, 0.2},
                                           Case{Activation::kSwish, true, 0.0},
                                           Case{Activation::kSigmoid, true, 0.3},
                                           Case{Activation::kSigmoid, false, 0.0}));

class ActivatedRows : public ::testing::TestWithParam<Activation> {};

TEST_P(ActivatedRows, HasTheValueAndTheGradientOfTheOperators) {
  at::Tensor inputs[2], outputs[2];
  for (int side = 0; side < 2; ++side) {
    inputs[side] = leaf(normal({13, 7}, 1));
    outputs[side] = side == 0 ? activated(inputs[side], GetParam())
                              : reference::epilogue(inputs[side], GetParam(), 0.0, 0);
    outputs[side].backward(normal({13, 7}, 2));
  }
  EXPECT_TRUE(close(outputs[0], outputs[1], 1e-13));
  EXPECT_TRUE(close(inputs[0].grad(), inputs[1].grad(), 1e-12));
}

TEST_P(ActivatedRows, GivesARowTheSameBitsAloneAndWithAGradient) {
  const at::Tensor x = normal({13, 7}, 1).to(at::kFloat);
  const at::Tensor all = activated(x, GetParam());
  for (int64_t row = 0; row < x.size(0); ++row)
    EXPECT_TRUE(at::equal(activated(x.narrow(0, row, 1), GetParam()), all.narrow(0, row, 1)));
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(activated(x, GetParam()), all));
}

TEST_P(ActivatedRows, KeepsNaN) {
  at::Tensor x = normal({3, 35}, 1);
  x[1].fill_(std::numeric_limits<double>::quiet_NaN());
  for (const at::ScalarType type : {at::kDouble, at::kFloat})
    EXPECT_TRUE(at::equal(activated(x.to(type), GetParam()).isnan(), x.isnan()));
}

INSTANTIATE_TEST_SUITE_P(OfKinds,
                         ActivatedRows,
                         ::testing::Values(Activation::kRelu,
                                           Activation::kGelu,
                                           Activation::kSwish,
                                           Activation::kSigmoid));

TEST(Linear, AgreesWithFiniteDifferencesUnderDropout) {
  const at::Tensor x = normal({5, 3}, 1), bias = normal({4}, 2), up = normal({5, 4}, 3);
  expect_gradient(normal({4, 3}, 4), [&](const at::Tensor& weight) {
    Context context(true, Precision::kFp64, 7);  // the same mask at every call
    return (linear(x, weight, bias, context, Activation::kSwish, 0.3) * up).sum();
  });
}

TEST(Linear, KeepsPrecisionOfTheFastCurvesInFp32) {
  const at::Tensor x = at::linspace(-9.0, 9.0, 1801, at::kFloat).unsqueeze(1);
  Context context(false, Precision::kFp32);
  for (const Activation activation :
       {Activation::kGelu, Activation::kSwish, Activation::kSigmoid}) {
    const at::Tensor own = linear(x, at::ones({1, 1}, at::kFloat), {}, context, activation);
    const at::Tensor exact =
        linear_by_operators(x.to(at::kDouble), at::ones({1, 1}, at::kDouble), {}, activation, 0, 0);
    // erf is good to 2e-7, times half of x up to 9.
    EXPECT_TRUE(close(own, exact, 1.2e-6));
  }
}

TEST(Linear, StaysWithinRoundingOfFp32UnderBf16) {
  const at::Tensor x = normal({37, 48}, 1, at::kFloat).to(at::kBFloat16);
  const at::Tensor weight =
      normal({21, 48}, 2, at::kFloat).mul(0.15).to(at::kBFloat16).to(at::kFloat);
  const at::Tensor up = normal({37, 21}, 3, at::kFloat).to(at::kBFloat16);
  const at::Tensor w[] = {leaf(weight), leaf(weight)};
  const at::Tensor b[] = {leaf(normal({21}, 4, at::kFloat)), leaf(normal({21}, 4, at::kFloat))};
  Context half(true, Precision::kBf16, 3), single(true, Precision::kFp32, 3);
  const at::Tensor low = linear(x, w[0], b[0], half, Activation::kRelu, 0.25);
  const at::Tensor full = linear(x.to(at::kFloat), w[1], b[1], single, Activation::kRelu, 0.25);
  low.backward(up);
  full.backward(up.to(at::kFloat));
  // Two roundings (product, output) of 2^-9 each, values up to about 5; gradients sum 37 such
  // terms.
  EXPECT_TRUE(close(low, full, 0.02, 0.008));
  EXPECT_EQ(w[0].grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(close(w[0].grad(), w[1].grad(), 0.1, 0.01));
  EXPECT_TRUE(close(b[0].grad(), b[1].grad(), 0.05, 0.01));
}

TEST(Linear, DropsItsFractionAndDrawsANewMaskEachTime) {
  const at::Tensor x = at::ones({300, 1}, at::kFloat), weight = at::ones({100, 1}, at::kFloat);
  Context context(true, Precision::kFp32, 1);
  const at::Tensor first = linear(x, weight, {}, context, Activation::kNone, 0.3);
  const at::Tensor second = linear(x, weight, {}, context, Activation::kNone, 0.3);
  // Standard error of the share of 30,000 draws: 0.0026.
  EXPECT_NEAR(first.eq(0.0).to(at::kFloat).mean().item<double>(), 0.3, 0.011);
  EXPECT_NEAR(first.max().item<double>(), 1.0 / 0.7, 1e-6);
  // Independent masks agree on 0.3² + 0.7² of the elements.
  EXPECT_NEAR(first.eq(second).to(at::kFloat).mean().item<double>(), 0.58, 0.012);
  Context evaluation(false, Precision::kFp32, 1);
  EXPECT_TRUE(
      at::equal(linear(x, weight, {}, evaluation, Activation::kNone, 0.3), at::ones({300, 100})));
}

struct ThreeMaps : torch::nn::Module {
  at::Tensor a = register_parameter("a", normal({5, 3}, 1));
  at::Tensor a_bias = register_parameter("a_bias", normal({5}, 2));
  at::Tensor b = register_parameter("b", normal({2, 3}, 3));
  at::Tensor b_bias = register_parameter("b_bias", normal({2}, 4));
  at::Tensor c = register_parameter("c", normal({7, 3}, 5));
  at::Tensor c_bias = register_parameter("c_bias", normal({7}, 6));
};

TEST(StackedLinear, IsTheMapsSideBySideWithOrWithoutAFlatBuffer) {
  const at::Tensor x = normal({11, 3}, 7), up = normal({11, 14}, 8);
  ThreeMaps loose, packed;
  FlatParameters flat(packed, true);
  at::Tensor outputs[2];
  for (ThreeMaps* maps : {&loose, &packed}) {
    Context context(true, Precision::kFp64, 0, maps == &packed ? &flat : nullptr);
    at::Tensor& out = outputs[maps == &packed];
    out = stacked_linear(
        x, {maps->a, maps->b, maps->c}, {maps->a_bias, maps->b_bias, maps->c_bias}, context);
    out.backward(up);
  }
  const at::Tensor expected = at::cat({at::linear(x, loose.a, loose.a_bias),
                                       at::linear(x, loose.b, loose.b_bias),
                                       at::linear(x, loose.c, loose.c_bias)},
                                      1);
  EXPECT_TRUE(close(outputs[0], expected, 1e-14));
  EXPECT_TRUE(close(outputs[1], expected, 1e-14));
  for (const auto& item : loose.named_parameters()) {
    EXPECT_TRUE(close(packed.named_parameters()[item.key()].grad(), item.value().grad(), 1e-13))
        << item.key();
  }
  EXPECT_TRUE(close(loose.b.grad(), at::mm(up.narrow(1, 5, 2).t(), x), 1e-13));
}

TEST(StackedLinear, GivesABiasItsGradientThoughAnotherNeedsNone) {
  const at::Tensor x = normal({4, 3}, 1), up = normal({4, 7}, 2);
  const at::Tensor fixed = at::zeros({5}, at::kDouble), learned = leaf(normal({2}, 3));
  Context context(true, Precision::kFp64);
  stacked_linear(x, {leaf(normal({5, 3}, 4)), leaf(normal({2, 3}, 5))}, {fixed, learned}, context)
      .backward(up);
  EXPECT_TRUE(close(learned.grad(), up.narrow(1, 5, 2).sum(0), 1e-14));
  EXPECT_FALSE(fixed.grad().defined());
}

TEST(Linear, AddsToTheFlatGradientsOverSeveralPasses) {
  ThreeMaps maps;
  FlatParameters flat(maps, true);
  const at::Tensor x = normal({11, 3}, 7);
  for (int pass = 0; pass < 2; ++pass) {
    Context context(true, Precision::kFp64, 0, &flat);
    linear(x, maps.c, maps.c_bias, context).sum().backward();
  }
  EXPECT_TRUE(close(maps.c_bias.grad(), at::full({7}, 22.0, at::kDouble), 1e-12));
  EXPECT_TRUE(close(maps.c.grad(), 2.0 * x.sum(0).expand({7, 3}), 1e-12));
}

TEST(Linear, TakesColumnsOfAWiderMatrix) {
  const at::Tensor x = normal({11, 2}, 7), up = normal({11, 7}, 8);
  for (const bool low : {false, true}) {
    ThreeMaps maps;
    maps.to(at::kFloat);
    FlatParameters flat(maps, true);
    flat.refresh_bf16();
    Context context(true, low ? Precision::kBf16 : Precision::kFp32, 0, &flat);
    const at::ScalarType type = low ? at::kBFloat16 : at::kFloat;
    const at::Tensor columns = maps.c.split(2, 1)[0];
    const at::Tensor y = linear(x.to(type), columns, {}, context);
    y.backward(up.to(type));
    EXPECT_TRUE(close(y, at::mm(x, columns.to(at::kDouble).t()), low ? 0.05 : 1e-6));
    const at::Tensor gradient = maps.c.grad();
    EXPECT_TRUE(close(gradient.narrow(1, 0, 2), at::mm(up.t(), x), low ? 0.2 : 1e-5));
    EXPECT_TRUE(close(gradient.narrow(1, 2, 1), at::zeros({7, 1}), 0));
  }
}

TEST(Linear, SumsBiasGradientsTheSameWayOnOneAndTwoThreads) {
  const at::Tensor x = normal({3001, 17}, 1, at::kFloat), up = normal({3001, 23}, 2, at::kFloat);
  const int threads = at::get_num_threads();
  at::Tensor gradients[2];
  for (const int count : {1, 2}) {
    at::set_num_threads(count);
    const at::Tensor bias = leaf(normal({23}, 3, at::kFloat));
    Context context(true, Precision::kFp32, 5);
    linear(x, normal({23, 17}, 4, at::kFloat), bias, context, Activation::kRelu, 0.1).backward(up);
    gradients[count - 1] = bias.grad();
  }
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
}

TEST(Linear, RejectsShapesThatDoNotFit) {
  Context context(false, Precision::kFp32);
  EXPECT_THROW(linear(at::ones({2, 3}), at::ones({4, 5}), {}, context), UsageError);
  EXPECT_THROW(linear(at::ones({2, 3}), at::ones({4, 3}), at::ones({3}), context), UsageError);
}

}  // namespace
}  // namespace phraseq::nn
