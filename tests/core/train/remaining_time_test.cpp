#include "core/train/remaining_time.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::DoubleEq;
using ::testing::Optional;

StopLimits epochs(int64_t count) {
  StopLimits limits;
  limits.max_epoch = count;
  return limits;
}

StopLimits updates(int64_t count) {
  StopLimits limits;
  limits.max_update = count;
  return limits;
}

TrainingProgress run_at(double epochs, int64_t updates, double seconds) {
  TrainingProgress progress;
  progress.epoch = static_cast<int64_t>(epochs) + 1;
  progress.batches = 1000;
  progress.batch = std::llround((epochs - std::floor(epochs)) * 1000);
  progress.updates = updates;
  progress.wall_seconds = seconds;
  return progress;
}

TEST(RemainingTime, ExtrapolatesTheSpeedSoFar) {
  // A quarter of 10 epochs in 50 s: three quarters take 150 s.
  EXPECT_THAT(RemainingTime(epochs(10), {}).seconds(run_at(2.5, 100, 50)), Optional(DoubleEq(150)));
  EXPECT_THAT(RemainingTime(updates(400), {}).seconds(run_at(2.5, 100, 50)),
              Optional(DoubleEq(150)));
}

TEST(RemainingTime, MeasuresTheSpeedSinceTheResume) {
  // 20 updates in 10 s since the resume at update 100, 80 are left.
  const RemainingTime remaining(updates(200), run_at(1.0, 100, 5));
  EXPECT_THAT(remaining.seconds(run_at(1.2, 120, 15)), Optional(DoubleEq(40)));
  // Half an epoch in 10 s since the resume after two epochs, 7.5 of 10 are left.
  EXPECT_THAT(RemainingTime(epochs(10), run_at(2.0, 100, 5)).seconds(run_at(2.5, 125, 15)),
              Optional(DoubleEq(150)));
}

TEST(RemainingTime, TakesTheLimitThatComesFirst) {
  StopLimits limits = epochs(10);
  limits.max_update = 200;
  const RemainingTime remaining(limits, {});
  EXPECT_THAT(remaining.seconds(run_at(1, 100, 60)), Optional(DoubleEq(60)));
  EXPECT_EQ(remaining.position_text(run_at(1, 100, 60)), "update 100 of 200");
  EXPECT_THAT(remaining.seconds(run_at(5, 100, 60)), Optional(DoubleEq(60)));
  EXPECT_EQ(remaining.position_text(run_at(8, 100, 60)), "epoch 8 of 10");
  limits.stop_time_hours = 0.5;
  EXPECT_THAT(RemainingTime(limits, {}).seconds(run_at(0.01, 1, 1790)), Optional(DoubleEq(10)));
}

TEST(RemainingTime, SaysNothingBeforeTheFirstStepAndWithoutALimit) {
  EXPECT_EQ(RemainingTime(epochs(3), {}).seconds(run_at(0, 0, 1)), std::nullopt);
  EXPECT_EQ(RemainingTime({}, {}).seconds(run_at(1.5, 10, 9)), std::nullopt);
}

TEST(RemainingTime, IsOverRatherThanNegativeAfterALimit) {
  EXPECT_THAT(RemainingTime(updates(10), {}).seconds(run_at(1, 12, 6)), Optional(DoubleEq(0)));
}

TEST(RemainingTime, CountsEpochsFromOne) {
  const RemainingTime remaining(epochs(20), {});
  EXPECT_EQ(remaining.position_text(run_at(0, 0, 0)), "epoch 1 of 20");
  EXPECT_EQ(remaining.position_text(run_at(0.5, 5, 1)), "epoch 1 of 20");
  EXPECT_EQ(remaining.position_text(run_at(1.0, 10, 2)), "epoch 1 of 20");
  EXPECT_EQ(remaining.position_text(run_at(1.1, 11, 2)), "epoch 2 of 20");
  EXPECT_EQ(RemainingTime({}, {}).position_text(run_at(2.5, 9, 2)), "epoch 3");
}

TEST(DurationText, HasHoursOnlyWhenThereAreAny) {
  EXPECT_EQ(duration_text(0.4), "0:00");
  EXPECT_EQ(duration_text(59.6), "1:00");
  EXPECT_EQ(duration_text(309), "5:09");
  EXPECT_EQ(duration_text(7509), "2:05:09");
  EXPECT_EQ(duration_text(100 * 3600.0), "100:00:00");
}

}  // namespace
}  // namespace phraseq
