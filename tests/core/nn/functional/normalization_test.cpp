#include "core/nn/functional/normalization.h"

#include "core/nn/functional/reference/functional_reference.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::expect_gradient;
using phraseq::testing::leaf;
using phraseq::testing::normal;

constexpr double kEps = 1e-5;

TEST(LayerNorm, NormalizesARowByHand) {
  // Row 1 2 3 6: mean 3, biased variance (4 + 1 + 0 + 9) / 4 = 3.5; eps 0.5 makes the root 2.
  Context context(false, Precision::kFp64);
  const at::Tensor y = layer_norm(at::tensor({1.0, 2.0, 3.0, 6.0}, at::kDouble).view({1, 4}),
                                  at::tensor({1.0, 2.0, 1.0, 2.0}, at::kDouble),
                                  at::tensor({0.0, 0.5, 0.0, 0.0}, at::kDouble),
                                  0.5,
                                  context);
  EXPECT_TRUE(close(y, at::tensor({-1.0, -0.5, 0.0, 3.0}, at::kDouble).view({1, 4}), 1e-15));
}

/// Compares values and all gradients of the function with those of operators.
void compare(bool with_residual, double p) {
  at::Tensor inputs[2][4], outputs[2];
  for (int side = 0; side < 2; ++side) {
    auto& [x, residual, gain, bias] = inputs[side];
    x = leaf(normal({203, 13}, 1));
    residual = leaf(normal({203, 13}, 2));
    gain = leaf(normal({13}, 3));
    bias = leaf(normal({13}, 4));
    Context context(true, Precision::kFp64, 9), twin(true, Precision::kFp64, 9);
    if (side == 0) {
      outputs[0] = with_residual ? dropout_add_norm(x, residual, gain, bias, kEps, p, context)
                                 : layer_norm(x, gain, bias, kEps, context);
    } else {
      const at::Tensor dropped = reference::dropout(x, p, p > 0.0 ? twin.next_dropout_key() : 0);
      outputs[1] =
          reference::layer_norm(with_residual ? residual + dropped : dropped, gain, bias, kEps);
    }
    outputs[side].backward(normal({203, 13}, 5));
  }
  EXPECT_TRUE(close(outputs[0], outputs[1], 1e-12));
  for (const int i : {0, 1, 2, 3}) {
    if (i == 1 && !with_residual)
      continue;
    EXPECT_TRUE(close(inputs[0][i].grad(), inputs[1][i].grad(), 1e-11)) << "input " << i;
  }
}

TEST(LayerNorm, EqualsTheOperatorsWithGradients) { compare(false, 0.0); }
TEST(DropoutAddNorm, EqualsTheOperatorsWithGradients) { compare(true, 0.3); }
TEST(DropoutAddNorm, EqualsTheOperatorsWithoutDropout) { compare(true, 0.0); }

TEST(DropoutAddNorm, AgreesWithFiniteDifferences) {
  const at::Tensor residual = normal({4, 5}, 1), gain = normal({5}, 2), bias = normal({5}, 3);
  const at::Tensor up = normal({4, 5}, 4);
  expect_gradient(normal({4, 5}, 5), [&](const at::Tensor& x) {
    Context context(true, Precision::kFp64, 7);
    return (dropout_add_norm(x, residual, gain, bias, kEps, 0.3, context) * up).sum();
  });
}

TEST(DropoutAddNorm, GivesOneInputUsedTwiceBothGradients) {
  const at::Tensor gain = normal({6}, 2), bias = normal({6}, 3), up = normal({3, 6}, 4);
  expect_gradient(normal({3, 6}, 5), [&](const at::Tensor& x) {
    Context context(true, Precision::kFp64, 7);
    return (dropout_add_norm(x, x, gain, bias, kEps, 0.0, context) * up).sum();
  });
}

TEST(DropoutAddNorm, StaysWithinRoundingOfFp32UnderBf16) {
  const at::Tensor x = normal({17, 40}, 1, at::kFloat).to(at::kBFloat16);
  const at::Tensor residual = normal({17, 40}, 2, at::kFloat).to(at::kBFloat16);
  const at::Tensor gain = at::ones({40}), bias = at::zeros({40});
  Context half(true, Precision::kBf16, 3), single(true, Precision::kFp32, 3);
  const at::Tensor low = dropout_add_norm(x, residual, gain, bias, kEps, 0.2, half);
  const at::Tensor full =
      dropout_add_norm(x.to(at::kFloat), residual.to(at::kFloat), gain, bias, kEps, 0.2, single);
  EXPECT_EQ(low.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(close(low, full, 1e-6, 0.00391));  // one rounding: 2^-8 of the value at most
}

TEST(DropoutAdd, AddsWhatIsKeptToTheResidual) {
  const at::Tensor x = leaf(at::full({200, 50}, 3.0, at::kDouble));
  const at::Tensor residual = leaf(at::full({200, 50}, 10.0, at::kDouble));
  Context context(true, Precision::kFp64, 1);
  const at::Tensor y = dropout_add(x, residual, 0.25, context);
  const at::Tensor kept = y.ne(10.0);
  EXPECT_TRUE(close(
      y.masked_select(kept), at::full({kept.sum().item<int64_t>()}, 14.0, at::kDouble), 1e-12));
  // Standard error of the share of 10,000 draws: 0.0043.
  EXPECT_NEAR(kept.to(at::kDouble).mean().item<double>(), 0.75, 0.018);
  y.sum().backward();
  EXPECT_TRUE(close(x.grad(), kept.to(at::kDouble) * (4.0 / 3.0), 1e-12));
  EXPECT_TRUE(at::equal(residual.grad(), at::ones({200, 50}, at::kDouble)));
}

TEST(Dropout, DoesNotChangeRowsOutsideTraining) {
  const at::Tensor x = normal({3, 5}, 1);
  Context context(false, Precision::kFp64, 1);
  EXPECT_TRUE(at::equal(dropout(x, 0.5, context), x));
}

TEST(Dropout, HasTheSameMaskInBothImplementations) {
  const at::Tensor x = normal({77, 31}, 1);
  Context context(true, Precision::kFp64, 4), twin(true, Precision::kFp64, 4);
  const at::Tensor own = dropout(x, 0.5, context);
  EXPECT_TRUE(at::equal(own, reference::dropout(x, 0.5, twin.next_dropout_key())));
}

TEST(DropoutMask, HasNoCorrelationBetweenNeighborsRowsOrKeys) {
  const at::Tensor x = at::ones({512, 512}, at::kFloat);
  Context context(true, Precision::kFp32, 6);
  const auto centered = [&] { return dropout(x, 0.5, context).sub(1.0); };  // ±1, mean 0
  const at::Tensor a = centered(), b = centered();
  const auto correlation = [](const at::Tensor& u, const at::Tensor& v) {
    return (u * v).mean().item<double>();
  };
  // Standard error of 262,144 products of ±1: 0.00195; four of them.
  EXPECT_NEAR(a.mean().item<double>(), 0.0, 0.008);
  EXPECT_NEAR(correlation(a, b), 0.0, 0.008);
  EXPECT_NEAR(correlation(a.narrow(1, 0, 511), a.narrow(1, 1, 511)), 0.0, 0.008);
  EXPECT_NEAR(correlation(a.narrow(0, 0, 511), a.narrow(0, 1, 511)), 0.0, 0.008);
}

}  // namespace
}  // namespace phraseq::nn
