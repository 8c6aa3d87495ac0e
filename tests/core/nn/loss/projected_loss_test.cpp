#include "core/nn/loss/projected_loss.h"

#include <cmath>

#include "core/base/error.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/linear_map.h"
#include "core/nn/loss/projection_chunks.h"
#include "core/nn/loss/smoothing.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::leaf;
using phraseq::testing::normal;

/// Hidden rows and weight that make the logits ln 1, ln 2, ln 3, ln 4: p = 0.1, 0.2, 0.3, 0.4.
struct FourClasses {
  at::Tensor hidden = at::ones({1, 1}, at::kDouble);
  at::Tensor weight = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).log().view({4, 1});
  Context context{false, Precision::kFp64};

  ProjectedLoss loss(int64_t gold,
                     double epsilon,
                     Smoothing smoothing,
                     const std::vector<int64_t>& excluded = {},
                     const std::vector<int64_t>& unsmoothed = {}) {
    return projected_cross_entropy(hidden,
                                   weight,
                                   {},
                                   at::tensor({gold}, at::kLong),
                                   {epsilon, smoothing, excluded, unsmoothed},
                                   context);
  }
};

// -ln 0.1 = 2.302585093, -ln 0.2 = 1.609437912, -ln 0.3 = 1.203972804, -ln 0.4 = 0.916290732;
// their sum is 6.032286541.

TEST(ProjectedCrossEntropy, GivesPlainCrossEntropyWithoutSmoothing) {
  FourClasses four;
  for (const Smoothing smoothing :
       {Smoothing::kFairseq, Smoothing::kTensor2Tensor, Smoothing::kNeutron}) {
    const ProjectedLoss loss = four.loss(1, 0.0, smoothing);
    EXPECT_NEAR(loss.loss_sum, 1.609437912, 1e-9);
    EXPECT_NEAR(loss.nll_sum, 1.609437912, 1e-9);
    EXPECT_NEAR(loss.loss.item<double>(), 1.609437912, 1e-9);
  }
}

TEST(ProjectedCrossEntropy, SmoothsAsFairseq) {
  // 0.9 · 1.203972804 + 0.1/4 · 6.032286541 = 1.083575524 + 0.150807164
  FourClasses four;
  EXPECT_NEAR(four.loss(2, 0.1, Smoothing::kFairseq).loss_sum, 1.234382687, 1e-9);
}

TEST(ProjectedCrossEntropy, SmoothsAsTensor2Tensor) {
  // Cross entropy 0.9 · 1.203972804 + 0.1/3 · (6.032286541 - 1.203972804) = 1.244519315; entropy of
  // q -0.9 ln 0.9 - 0.1 ln(0.1/3) = 0.094824464 + 0.340119738 = 0.434944202.
  FourClasses four;
  EXPECT_NEAR(four.loss(2, 0.1, Smoothing::kTensor2Tensor).loss_sum, 0.809575113, 1e-9);
}

TEST(ProjectedCrossEntropy, SmoothsAsNeutronAroundForbiddenClasses) {
  // Class 0 is forbidden: 0.1/(4-2) on classes 1 and 3. Cross entropy 1.083575524 + 0.05 ·
  // (1.609437912
  // + 0.916290732) = 1.209861956; entropy of q 0.094824464 - 0.1 ln 0.05 = 0.394397691.
  FourClasses four;
  EXPECT_NEAR(four.loss(2, 0.1, Smoothing::kNeutron, {}, {0}).loss_sum, 0.815464265, 1e-9);
}

TEST(ProjectedCrossEntropy, TakesExcludedClassesOutOfTheSoftmax) {
  // Without class 3: p = 1/6, 2/6, 3/6. nll of class 1 = ln 3; fairseq's smoothing over three
  // classes: 0.9 ln 3 + 0.1/3 · (ln 6 + ln 3 + ln 2) = 0.988751060 + 0.033333333 · 3.583518938.
  FourClasses four;
  const ProjectedLoss loss = four.loss(1, 0.1, Smoothing::kFairseq, {3});
  EXPECT_NEAR(loss.nll_sum, std::log(3.0), 1e-12);
  EXPECT_NEAR(loss.loss_sum, 1.108201691, 1e-9);
}

TEST(ProjectedCrossEntropy, CountsRowsWhoseGoldIsBest) {
  FourClasses four;
  EXPECT_EQ(four.loss(3, 0.1, Smoothing::kFairseq).correct, 1);
  EXPECT_EQ(four.loss(2, 0.1, Smoothing::kFairseq).correct, 0);
}

TEST(ProjectedCrossEntropy, RejectsIdsOutsideTheVocabulary) {
  FourClasses four;
  EXPECT_THROW(four.loss(2, 0.1, Smoothing::kFairseq, {4}), UsageError);
  EXPECT_THROW(four.loss(2, 1.0, Smoothing::kFairseq), UsageError);
}

/// The loss computed from all logits with ATen's operators, by its definition.
at::Tensor reference_loss(const at::Tensor& hidden,
                          const at::Tensor& weight,
                          const at::Tensor& bias,
                          const at::Tensor& targets,
                          double epsilon,
                          Smoothing smoothing,
                          const std::vector<int64_t>& excluded,
                          const std::vector<int64_t>& unsmoothed) {
  const int64_t vocabulary = weight.size(0);
  at::Tensor logits = at::linear(hidden, weight, bias);
  at::Tensor open = at::ones({vocabulary}, at::kBool);
  for (const int64_t id : excluded) open[id] = false;
  logits = logits.masked_fill(open.logical_not(), -1e30);
  const at::Tensor log_p = at::log_softmax(logits, 1);
  at::Tensor share = open.clone();
  if (smoothing == Smoothing::kNeutron) {
    for (const int64_t id : unsmoothed) share[id] = false;
  }
  at::Tensor q = share.to(hidden.scalar_type()).unsqueeze(0).repeat({hidden.size(0), 1});
  const at::Tensor gold = targets.unsqueeze(1);
  if (smoothing != Smoothing::kFairseq)
    q = q.scatter(1, gold, 0.0);
  q = q * (epsilon / q.sum(1, true));
  q = q.scatter_add(1, gold, at::full(gold.sizes(), 1.0 - epsilon, q.options()));
  const at::Tensor cross = -(q * log_p.masked_fill(q.eq(0.0), 0.0)).sum();
  return smoothing == Smoothing::kFairseq ? cross : cross + at::xlogy(q, q).sum();
}

struct Case {
  Smoothing smoothing;
  bool with_bias;
  std::vector<int64_t> excluded, unsmoothed;
  int64_t rows = 37;
};

class ProjectedCrossEntropyAgainstAllLogits : public ::testing::TestWithParam<Case> {};

TEST_P(ProjectedCrossEntropyAgainstAllLogits, HasTheSameValueAndGradients) {
  const Case& c = GetParam();
  const at::Tensor targets = at::arange(c.rows, at::kLong).mul(5).remainder(23).add(2);
  at::Tensor inputs[2][3];
  at::Tensor losses[2];
  Context context(true, Precision::kFp64);
  for (int side = 0; side < 2; ++side) {
    auto& [hidden, weight, bias] = inputs[side];
    hidden = leaf(normal({c.rows, 7}, 1));
    weight = leaf(normal({29, 7}, 2));
    if (c.with_bias)
      bias = leaf(normal({29}, 3));
    losses[side] =
        side == 0 ? projected_cross_entropy(hidden,
                                            weight,
                                            bias,
                                            targets,
                                            {0.13, c.smoothing, c.excluded, c.unsmoothed},
                                            context)
                        .loss
                  : reference_loss(
                        hidden, weight, bias, targets, 0.13, c.smoothing, c.excluded, c.unsmoothed);
    (losses[side] * 1.7).backward();
  }
  EXPECT_TRUE(close(losses[0], losses[1], 1e-11));
  for (int i = 0; i < (c.with_bias ? 3 : 2); ++i) {
    EXPECT_TRUE(close(inputs[0][i].grad(), inputs[1][i].grad(), 1e-12)) << "input " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         ProjectedCrossEntropyAgainstAllLogits,
                         ::testing::Values(Case{Smoothing::kFairseq, false, {}, {}},
                                           Case{Smoothing::kFairseq, true, {0, 28}, {}},
                                           Case{Smoothing::kTensor2Tensor, true, {}, {}},
                                           Case{Smoothing::kTensor2Tensor, false, {1}, {}},
                                           Case{Smoothing::kNeutron, true, {}, {0, 1}},
                                           Case{Smoothing::kNeutron, false, {0}, {1, 26}},
                                           Case{Smoothing::kNeutron, true, {}, {3, 5}}));

INSTANTIATE_TEST_SUITE_P(SeveralChunks,
                         ProjectedCrossEntropyAgainstAllLogits,
                         ::testing::Values(Case{
                             Smoothing::kFairseq, true, {0}, {}, 2 * kMaxChunkRows + 3}));

TEST(ProjectedCrossEntropy, AgreesBetweenBf16AndFp32WithinRounding) {
  const at::Tensor targets = at::arange(19, at::kLong);
  const at::Tensor hidden = normal({19, 24}, 1, at::kFloat).to(at::kBFloat16);
  const at::Tensor weight =
      normal({31, 24}, 2, at::kFloat).mul(0.2).to(at::kBFloat16).to(at::kFloat);
  Context half(true, Precision::kBf16), single(true, Precision::kFp32);
  const at::Tensor h[] = {leaf(hidden), leaf(hidden.to(at::kFloat))};
  const at::Tensor w[] = {leaf(weight), leaf(weight)};
  const auto run = [&](int i, Context& context) {
    auto loss =
        projected_cross_entropy(h[i], w[i], {}, targets, {0.1, Smoothing::kFairseq}, context);
    loss.loss.backward();
    return loss.loss_sum;
  };
  // A logit of size 3 is rounded by at most 3 · 2^-9 in bf16, probabilities likewise relatively.
  EXPECT_NEAR(run(0, half), run(1, single), 19 * 0.006);
  EXPECT_EQ(w[0].grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(close(w[0].grad(), w[1].grad(), 0.03, 0.01));
  EXPECT_TRUE(close(h[0].grad(), h[1].grad(), 0.01, 0.01));
}

TEST(ProjectedCrossEntropy, AddsToTheFlatGradientsOverSeveralPasses) {
  LinearMap map(3, 7, false);
  map.weight.set_data(normal({7, 3}, 1));
  const at::Tensor weight = leaf(map.weight), hidden = normal({5, 3}, 2);
  const at::Tensor targets = at::tensor({0, 6, 2, 2, 5}, at::kLong);
  const auto pass_back = [&](const at::Tensor& of, double factor, Context context) {
    const auto loss = projected_cross_entropy(hidden, of, {}, targets, {0.1}, context);
    (loss.loss * factor).backward();
  };
  pass_back(weight, 0.75, Context(true, Precision::kFp64));
  FlatParameters flat(map, true);
  for (const double factor : {0.5, 0.25})
    pass_back(map.weight, factor, Context(true, Precision::kFp64, 0, &flat));
  EXPECT_TRUE(close(map.weight.grad(), weight.grad(), 1e-12));
}

TEST(TargetLogProbabilities, AreExactInDouble) {
  FourClasses four;
  const at::Tensor log_p = target_log_probabilities(
      four.hidden.expand({4, 1}), four.weight, {}, at::arange(4, at::kLong), {}, four.context);
  EXPECT_EQ(log_p.scalar_type(), at::kDouble);
  EXPECT_TRUE(close(log_p, at::tensor({0.1, 0.2, 0.3, 0.4}, at::kDouble).log(), 1e-15));
}

TEST(TargetLogProbabilities, OmitExcludedClasses) {
  FourClasses four;
  const at::Tensor log_p = target_log_probabilities(
      four.hidden, four.weight, {}, at::tensor({2}, at::kLong), {0, 3}, four.context);
  EXPECT_NEAR(log_p.item<double>(), std::log(0.6), 1e-15);
}

}  // namespace
}  // namespace phraseq::nn
