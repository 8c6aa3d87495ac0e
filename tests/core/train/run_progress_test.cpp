#include "core/train/run_progress.h"

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

TEST(RunProgress, ExtrapolatesTheSpeedSoFar) {
  // A quarter of 10 epochs in 50 s: three quarters take 150 s.
  EXPECT_THAT(RunProgress(epochs(10), {}).remaining_seconds({2.5, 100, 50}),
              Optional(DoubleEq(150)));
  EXPECT_THAT(RunProgress(updates(400), {}).remaining_seconds({2.5, 100, 50}),
              Optional(DoubleEq(150)));
}

TEST(RunProgress, MeasuresTheSpeedSinceTheResume) {
  // 20 updates in 10 s since the resume at update 100, 80 are left.
  const RunProgress progress(updates(200), {1.0, 100, 5});
  EXPECT_THAT(progress.remaining_seconds({1.2, 120, 15}), Optional(DoubleEq(40)));
  // Half an epoch in 10 s since the resume after two epochs, 7.5 of 10 are left.
  EXPECT_THAT(RunProgress(epochs(10), {2.0, 100, 5}).remaining_seconds({2.5, 125, 15}),
              Optional(DoubleEq(150)));
}

TEST(RunProgress, TakesTheLimitThatComesFirst) {
  StopLimits limits = epochs(10);
  limits.max_update = 200;
  const RunProgress progress(limits, {});
  EXPECT_THAT(progress.remaining_seconds({1, 100, 60}), Optional(DoubleEq(60)));
  EXPECT_EQ(progress.place_text({1, 100, 60}), "update 100 of 200");
  EXPECT_THAT(progress.remaining_seconds({5, 100, 60}), Optional(DoubleEq(60)));
  EXPECT_EQ(progress.place_text({8, 100, 60}), "epoch 8 of 10");
  limits.stop_time_hours = 0.5;
  EXPECT_THAT(RunProgress(limits, {}).remaining_seconds({0.01, 1, 1790}), Optional(DoubleEq(10)));
}

TEST(RunProgress, SaysNothingBeforeTheFirstStepAndWithoutALimit) {
  EXPECT_EQ(RunProgress(epochs(3), {}).remaining_seconds({0, 0, 1}), std::nullopt);
  EXPECT_EQ(RunProgress({}, {}).remaining_seconds({1.5, 10, 9}), std::nullopt);
}

TEST(RunProgress, IsOverRatherThanNegativeAfterALimit) {
  EXPECT_THAT(RunProgress(updates(10), {}).remaining_seconds({1, 12, 6}), Optional(DoubleEq(0)));
}

TEST(RunProgress, CountsEpochsFromOne) {
  const RunProgress progress(epochs(20), {});
  EXPECT_EQ(progress.place_text({0, 0, 0}), "epoch 1 of 20");
  EXPECT_EQ(progress.place_text({0.5, 5, 1}), "epoch 1 of 20");
  EXPECT_EQ(progress.place_text({1.0, 10, 2}), "epoch 1 of 20");
  EXPECT_EQ(progress.place_text({1.1, 11, 2}), "epoch 2 of 20");
  EXPECT_EQ(RunProgress({}, {}).place_text({2.5, 9, 2}), "epoch 3");
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
