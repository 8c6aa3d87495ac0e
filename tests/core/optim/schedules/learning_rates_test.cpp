#include "core/optim/schedules/learning_rates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr double kTight = 1e-15;

LrSchedulerSetup setup(double lr, int64_t model_width = 0, int64_t max_update = 0) {
  return {lr, model_width, max_update};
}

TEST(ConstantRate, IsTheLearningRateFromTheFirstUpdateOn) {
  const ConstantRate schedule({}, setup(0.25));
  EXPECT_EQ(schedule.rate(0), 0.25);
  EXPECT_EQ(schedule.rate(1'000'000), 0.25);
}

TEST(ConstantRate, WarmsUpWithoutLosingTheFirstUpdate) {
  ConstantRateOptions options;
  options.warmup_updates = 4;
  const ConstantRate schedule(options, setup(0.8));
  EXPECT_NEAR(schedule.rate(0), 0.2, kTight);
  EXPECT_NEAR(schedule.rate(1), 0.4, kTight);
  EXPECT_NEAR(schedule.rate(3), 0.8, kTight);
  EXPECT_NEAR(schedule.rate(4), 0.8, kTight);
}

TEST(InverseSqrt, StartsAtTheInitialRateAndPeaksAfterTheWarmUp) {
  InverseSqrtOptions options;
  options.warmup_updates = 4;
  const InverseSqrt schedule(options, setup(0.8));
  EXPECT_EQ(schedule.rate(0), 0.0);
  EXPECT_NEAR(schedule.rate(1), 0.2, kTight);
  EXPECT_NEAR(schedule.rate(3), 0.6, kTight);
  EXPECT_NEAR(schedule.rate(4), 0.8, kTight);   // update 5 = w + 1
  EXPECT_NEAR(schedule.rate(16), 0.4, kTight);  // 0.8 · √(4/16)
  EXPECT_NEAR(schedule.rate(100), 0.16, kTight);
}

TEST(InverseSqrt, RisesFromAGivenInitialRate) {
  InverseSqrtOptions options;
  options.warmup_updates = 5;
  options.warmup_init_lr = 0.1;
  const InverseSqrt schedule(options, setup(0.6));
  EXPECT_NEAR(schedule.rate(0), 0.1, kTight);
  EXPECT_NEAR(schedule.rate(2), 0.3, kTight);
  EXPECT_NEAR(schedule.rate(5), 0.6, kTight);
}

TEST(Noam, FollowsTheFormulaOfVaswaniFromStepOne) {
  NoamOptions options;
  options.warmup_updates = 16;
  options.lr_scale = 2;
  const Noam schedule(options, setup(123, 64));
  EXPECT_NEAR(schedule.rate(0), 2.0 / 8 / 64, kTight);      // 2 · 64^-0.5 · 1 · 16^-1.5
  EXPECT_NEAR(schedule.rate(7), 2.0 / 8 * 8 / 64, kTight);  // step 8
  EXPECT_NEAR(schedule.rate(15), 2.0 / 8 / 4, kTight);      // step 16: the peak, both arms equal
  EXPECT_NEAR(schedule.rate(63), 2.0 / 8 / 8, kTight);      // step 64
}

TEST(Noam, HasThePublishedRateOfTheBaseModel) {
  const Noam schedule({}, setup(0, 512));
  EXPECT_NEAR(schedule.rate(3999), 6.98771242968684e-4, 1e-15);  // 512^-0.5 · 4000^-0.5
}

TEST(Noam, NeedsTheModelsWidth) { EXPECT_THROW(Noam({}, setup(1)), UsageError); }

TEST(Cosine, GoesFromThePeakToTheMinimumInAPeriodAndStartsAgainShrunk) {
  CosineOptions options;
  options.min_lr = 0.2;
  options.lr_period_updates = 4;
  options.lr_shrink = 0.5;
  const Cosine schedule(options, setup(1.0));
  EXPECT_NEAR(schedule.rate(0), 1.0, kTight);
  EXPECT_NEAR(schedule.rate(1), 0.2 + 0.4 * (1 + std::sqrt(0.5)), kTight);
  EXPECT_NEAR(schedule.rate(2), 0.6, kTight);
  EXPECT_NEAR(schedule.rate(4), 0.5, kTight);
  EXPECT_NEAR(schedule.rate(6), 0.3, kTight);
  EXPECT_NEAR(schedule.rate(8), 0.25, kTight);
}

TEST(Cosine, DoesNotRise) {
  CosineOptions options;
  options.lr_period_updates = 10;
  options.min_lr = 2.0;
  EXPECT_THROW(Cosine(options, setup(1.0)), UsageError);
}

TEST(Cosine, MakesEachPeriodLongerByItsFactor) {
  CosineOptions options;
  options.lr_period_updates = 2;
  options.t_mult = 3;
  options.lr_shrink = 0.5;
  const Cosine schedule(options, setup(1.0));
  EXPECT_NEAR(schedule.rate(1), 0.5, kTight);
  EXPECT_NEAR(schedule.rate(2), 0.5, kTight);  // second period, of 6
  EXPECT_NEAR(schedule.rate(5), 0.25, kTight);
  EXPECT_NEAR(schedule.rate(8), 0.25, kTight);  // third, of 18
  EXPECT_NEAR(schedule.rate(17), 0.125, kTight);
}

TEST(Cosine, WarmsUpFromTheMinimumAndTakesItsPeriodFromMaxUpdate) {
  CosineOptions options;
  options.warmup_updates = 5;
  options.min_lr = 0.1;
  const Cosine schedule(options, setup(0.6, 0, 15));
  EXPECT_NEAR(schedule.rate(0), 0.1, kTight);
  EXPECT_NEAR(schedule.rate(3), 0.4, kTight);
  EXPECT_NEAR(schedule.rate(5), 0.6, kTight);
  EXPECT_NEAR(schedule.rate(10), 0.35, kTight);
}

TEST(Cosine, NeedsAnEnd) { EXPECT_THROW(Cosine({}, setup(1)), UsageError); }

TEST(Polynomial, FallsFromTheWarmUpsPeakToTheEnd) {
  PolynomialOptions options;
  options.warmup_updates = 2;
  options.total_num_update = 10;
  options.end_learning_rate = 0.1;
  options.power = 2;
  const Polynomial schedule(options, setup(0.9));
  EXPECT_EQ(schedule.rate(0), 0.0);
  EXPECT_NEAR(schedule.rate(1), 0.45, kTight);
  EXPECT_NEAR(schedule.rate(2), 0.9, kTight);
  EXPECT_NEAR(schedule.rate(6), 0.1 + 0.8 * 0.25, kTight);
  EXPECT_EQ(schedule.rate(10), 0.1);
  EXPECT_EQ(schedule.rate(11), 0.1);
}

TEST(Polynomial, IsLinearWithoutWarmUpByDefaultAndEndsAtMaxUpdate) {
  const Polynomial schedule({}, setup(0.8, 0, 8));
  EXPECT_NEAR(schedule.rate(0), 0.8, kTight);
  EXPECT_NEAR(schedule.rate(2), 0.6, kTight);
  EXPECT_EQ(schedule.rate(8), 0.0);
}

TEST(Polynomial, CannotEndWithinItsWarmUp) {
  PolynomialOptions options;
  options.warmup_updates = 9;
  EXPECT_THROW(Polynomial(options, setup(1, 0, 9)), UsageError);
}

}  // namespace
}  // namespace phraseq
