#include "core/nn/functional/additive_step.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/nn/functional/reference/operators_only.h"
#include "core/nn/kernels/arithmetic.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using testing::close;
using testing::normal;

constexpr int64_t kRows = 3, kTime = 4, kWidth = 11, kFeatures = 5;

/// The inputs of a step, with gradients. The keys have one row more than a step uses.
struct StepInputs {
  explicit StepInputs(at::ScalarType type = at::kDouble) {
    uint64_t seed = 0;
    const auto made = [&](at::IntArrayRef sizes) {
      return normal(sizes, ++seed).to(type).requires_grad_(true);
    };
    keys = made({kRows + 1, kTime, kWidth});
    query = made({kRows, kWidth});
    features = made({kRows, kTime, kFeatures});
    weight = made({kWidth, kFeatures});
    tags = made({kRows, kTime, 2});
    tag_weight = made({kWidth, 2});
    v = made({kWidth});
    at::NoGradGuard no_grad;
    features.select(2, 1).zero_();  // as most tags are
    mask = at::tensor({1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0}).to(at::kBool).view({kRows, kTime});
  }

  at::Tensor energies(const SharedInput& shared) const {
    return additive_energies({shared, query, {{tags, tag_weight}, {}, {features, weight}}, v},
                             mask);
  }
  std::vector<at::Tensor> all() const {
    return {keys, query, features, weight, tags, tag_weight, v};
  }

  at::Tensor keys, query, features, weight, tags, tag_weight, v, mask;
};

/// Different numbers in the shape of x.
at::Tensor upstream(const at::Tensor& x) {
  return at::sin(at::arange(x.numel(), x.options().requires_grad(false)) + 1).view(x.sizes());
}

void run_backward(const at::Tensor& y) { y.backward(upstream(y)); }

/// The weights of a softmax over energies, which give padding no gradient.
at::Tensor attention(const StepInputs& in, const SharedInput& shared) {
  return at::softmax(in.energies(shared), 1);
}

void expect_agreement_with_operators(at::ScalarType type, double tolerance) {
  const StepInputs own(type), other(type);
  const at::Tensor weights = attention(own, {own.keys});
  const at::Tensor sums = attended_sum(weights, {own.keys});
  run_backward(sums);
  const OperatorsOnly without_kernels;
  const at::Tensor expected_weights = attention(other, {other.keys});
  const at::Tensor expected = attended_sum(expected_weights, {other.keys});
  run_backward(expected);
  EXPECT_TRUE(close(weights, expected_weights, tolerance));
  EXPECT_TRUE(close(sums, expected, tolerance));
  for (size_t i = 0; i < own.all().size(); ++i)
    EXPECT_TRUE(close(own.all()[i].grad(), other.all()[i].grad(), tolerance)) << "input " << i;
}

TEST(AdditiveStep, AgreesWithOperators) {
  expect_agreement_with_operators(at::kDouble, 1e-13);
  expect_agreement_with_operators(at::kFloat, 2e-6);
}

TEST(AdditiveStep, IsTheEquation) {
  const StepInputs in;
  const at::Tensor energies = in.energies({in.keys});
  const at::Tensor sum = in.keys[2][1] + in.query[2] + in.weight.matmul(in.features[2][1]) +
                         in.tag_weight.matmul(in.tags[2][1]);
  EXPECT_NEAR(energies[2][1].item<double>(), (at::tanh(sum) * in.v).sum().item<double>(), 1e-13);
  EXPECT_EQ(energies[2][3].item<double>(), -1e30);
  EXPECT_EQ(attention(in, {in.keys})[1][2].item<double>(), 0.0);
}

TEST(AdditiveStep, NeedsNoFeatures) {
  const StepInputs in;
  const at::Tensor energies = additive_energies({{in.keys}, in.query, {}, in.v}, in.mask);
  const at::Tensor sum = in.keys[0][0] + in.query[0];
  EXPECT_NEAR(energies[0][0].item<double>(), (at::tanh(sum) * in.v).sum().item<double>(), 1e-13);
  energies.masked_select(in.mask).sum().backward();
  EXPECT_TRUE(in.query.grad().defined());
  EXPECT_FALSE(in.weight.grad().defined());
}

TEST(AdditiveStep, IsTheSameWithoutGradients) {
  const StepInputs in;
  const at::Tensor energies = in.energies({in.keys});
  at::NoGradGuard no_grad;
  EXPECT_TRUE(in.energies({in.keys}).equal(energies));
}

/// Two steps, the second with fewer rows.
at::Tensor two_steps(const StepInputs& in, const SharedInput& shared) {
  const at::Tensor first = attended_sum(attention(in, shared), shared);
  const at::Tensor second = attended_sum(attention(in, shared).narrow(0, 0, 2), shared);
  return first.narrow(0, 0, 2) * second;
}

TEST(SharedGradient, IsTheSumOfAllSteps) {
  const StepInputs own, shared;
  const at::Tensor expected = two_steps(own, {own.keys});
  run_backward(expected);
  const at::Tensor sums = two_steps(shared, share_gradient(shared.keys));
  run_backward(sums);
  EXPECT_TRUE(sums.equal(expected));
  for (size_t i = 0; i < own.all().size(); ++i)
    EXPECT_TRUE(close(shared.all()[i].grad(), own.all()[i].grad(), 1e-13)) << "input " << i;
}

TEST(SharedGradient, StartsFreshWithEachBackwardPass) {
  const StepInputs in;
  const at::Tensor sums = two_steps(in, share_gradient(in.keys));
  sums.backward(upstream(sums), /*retain_graph=*/true);
  const at::Tensor once = in.keys.grad().clone();
  run_backward(sums);
  EXPECT_TRUE(close(in.keys.grad(), 2 * once, 1e-13));
}

TEST(SharedGradient, IncludesTheGradientsOfOtherFunctions) {
  const StepInputs in;
  const SharedInput shared = share_gradient(in.keys);
  (attended_sum(attention(in, shared), shared).sum() + 3 * shared.value.sum()).backward();
  const StepInputs alone;
  const SharedInput of_steps = share_gradient(alone.keys);
  attended_sum(attention(alone, of_steps), of_steps).sum().backward();
  EXPECT_TRUE(close(in.keys.grad(), alone.keys.grad() + 3, 1e-13));
}

TEST(SharedGradient, IsThatOfOtherFunctionsWithoutKernels) {
  const OperatorsOnly without_kernels;
  const StepInputs own, shared;
  const at::Tensor expected = two_steps(own, {own.keys});
  run_backward(expected);
  const at::Tensor sums = two_steps(shared, share_gradient(shared.keys));
  run_backward(sums);
  EXPECT_TRUE(close(shared.keys.grad(), own.keys.grad(), 1e-13));
}

TEST(HyperbolicTangent, IsWithinThreeUnitsOfTheLastPlace) {
  for (float x = 1e-6F; x < 50.0F; x *= 1.0007F) {
    for (const float argument : {x, -x}) {
      const double exact = std::tanh(static_cast<double>(argument));
      const auto rounded = static_cast<float>(exact);
      const double unit = std::fabs(static_cast<double>(std::nextafterf(rounded, 2.0F)) -
                                    static_cast<double>(rounded));
      EXPECT_LE(std::fabs(kernels::hyperbolic_tangent(argument) - exact), 3 * unit) << argument;
    }
  }
  EXPECT_EQ(kernels::hyperbolic_tangent(0.0F), 0.0F);
  EXPECT_EQ(kernels::hyperbolic_tangent(-1e30F), -1.0F);
  EXPECT_TRUE(std::isnan(kernels::hyperbolic_tangent(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace phraseq::nn
