#include "core/train/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

IntervalSums sums() {
  IntervalSums result;
  result.losses.loss_sum = 1000 * 2 * 0.69314718055994531;  // 2 bits per token
  result.losses.tokens = 1000;
  result.updates = 10;
  return result;
}

TrainingProgress example_progress() {
  TrainingProgress result;
  result.epoch = 3;
  result.batch = 25;
  result.batches = 100;
  result.updates = 225;
  result.learning_rate = 0.0005;
  result.wall_seconds = 90;
  return result;
}

ProgressBar begun(int64_t max_epoch, int64_t max_update) {
  ProgressBar bar;
  StopLimits limits;
  limits.max_epoch = max_epoch;
  limits.max_update = max_update;
  TrainingProgress start;
  start.batches = 100;
  bar.begin(limits, start);
  return bar;
}

TEST(ProgressBar, ShowsEpochRemainingTimeLossAndSpeed) {
  EXPECT_EQ(begun(20, 0).text(example_progress(), sums(), 4, 200),
            "epoch 3 of 20 [#####...............] 25/100 | 11:50 left | loss 2.000 | updates 225 | "
            "lr 0.0005 | 250 tokens/s");
}

TEST(ProgressBar, LeavesOutOfTheSpeedWhatWasBeforeAResume) {
  ProgressBar bar = begun(20, 0);
  bar.leave_out(600);
  EXPECT_THAT(bar.text(example_progress(), sums(), 4, 200),
              AllOf(HasSubstr("loss 2.000"), HasSubstr("| 100 tokens/s")));
}

TEST(ProgressBar, ShowsUpdatesWhenTheyEndTheRun) {
  EXPECT_THAT(begun(0, 900).text(example_progress(), sums(), 4, 200),
              ::testing::StartsWith("update 225 of 900 [#####...............] | 4:30 left | loss"));
}

TEST(ProgressBar, ShowsTheBestValidationInTheUnitsOfTheLog) {
  TrainingProgress with_best = example_progress();
  with_best.best = 0.69314718055994531;
  with_best.best_metric = "loss";
  EXPECT_THAT(begun(20, 0).text(with_best, sums(), 4, 200), HasSubstr("| best loss 1.000 |"));
  with_best.best = 23.456;
  with_best.best_metric = "bleu";
  EXPECT_THAT(begun(20, 0).text(with_best, sums(), 4, 200), HasSubstr("| best bleu 23.46 |"));
  EXPECT_THAT(begun(20, 0).text(example_progress(), sums(), 4, 200), Not(HasSubstr("best")));
}

TEST(ProgressBar, StaysWithinTheTerminal) {
  const ProgressBar bar = begun(20, 0);
  for (size_t columns = 60; columns < 140; ++columns)
    EXPECT_LT(bar.text(example_progress(), sums(), 4, columns).size(), columns);
  EXPECT_THAT(bar.text(example_progress(), sums(), 4, 60),
              AllOf(HasSubstr("epoch 3 of 20"), Not(HasSubstr("tokens/s"))));
}

TEST(ProgressBar, ShowsNoTimeThatItCannotKnow) {
  EXPECT_THAT(begun(0, 0).text(example_progress(), sums(), 4, 200),
              AllOf(::testing::StartsWith("epoch 3 ["), Not(HasSubstr("left"))));
}

}  // namespace
}  // namespace phraseq
