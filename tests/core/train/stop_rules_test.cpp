#include "core/train/stop_rules.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(StopRules, NeverStopWithoutLimits) {
  EXPECT_EQ(reached_limit({},
                          {.updates = 1'000'000,
                           .finished_epochs = 5'000,
                           .wall_seconds = 1e9,
                           .validations_without_better = 500}),
            std::nullopt);
}

TEST(StopRules, StopAtTheLastUpdateAndNotBefore) {
  const StopLimits limits{.max_update = 100};
  EXPECT_EQ(reached_limit(limits, {.updates = 99}), std::nullopt);
  EXPECT_EQ(reached_limit(limits, {.updates = 100}), "update 100 of --max-update 100");
  EXPECT_EQ(reached_limit(limits, {.updates = 101}), "update 101 of --max-update 100");
}

TEST(StopRules, CountFinishedEpochs) {
  const StopLimits limits{.max_epoch = 3};
  EXPECT_EQ(reached_limit(limits, {.updates = 7, .finished_epochs = 2}), std::nullopt);
  EXPECT_EQ(reached_limit(limits, {.updates = 7, .finished_epochs = 3}),
            "epoch 3 of --max-epoch 3");
}

TEST(StopRules, ComparePassedSecondsWithHours) {
  const StopLimits limits{.stop_time_hours = 0.5};
  EXPECT_EQ(reached_limit(limits, {.wall_seconds = 1799.9}), std::nullopt);
  EXPECT_EQ(reached_limit(limits, {.wall_seconds = 1800}), "--stop-time-hours 0.5");
}

TEST(StopRules, IgnoreTheLearningRateBeforeTheFirstUpdate) {
  const StopLimits limits{.stop_min_lr = 1e-6};
  EXPECT_EQ(reached_limit(limits, {.updates = 0, .learning_rate = 0}), std::nullopt);
  EXPECT_EQ(reached_limit(limits, {.updates = 1, .learning_rate = 2e-6}), std::nullopt);
  EXPECT_EQ(reached_limit(limits, {.updates = 1, .learning_rate = 1e-6}),
            "the learning rate reached --stop-min-lr 1e-06");
}

TEST(StopRules, IgnoreALearningRateThatRises) {
  const StopLimits limits{.stop_min_lr = 1e-6};
  TrainingProgress progress{.updates = 5, .learning_rate = 5e-7, .learning_rate_rises = true};
  EXPECT_EQ(reached_limit(limits, progress), std::nullopt);
  progress.learning_rate_rises = false;
  EXPECT_NE(reached_limit(limits, progress), std::nullopt);
}

TEST(StopRules, StopWhenPatienceEnds) {
  const StopLimits limits{.patience = 2};
  EXPECT_EQ(reached_limit(limits, {.validations_without_better = 1}), std::nullopt);
  EXPECT_EQ(reached_limit(limits, {.validations_without_better = 2}),
            "2 validations without improvement (--patience 2)");
}

TEST(StopRules, NameTheFirstOfSeveralLimits) {
  const StopLimits limits{.max_update = 10, .max_epoch = 1, .patience = 1};
  EXPECT_EQ(
      reached_limit(limits, {.updates = 10, .finished_epochs = 1, .validations_without_better = 1}),
      "update 10 of --max-update 10");
}

}  // namespace
}  // namespace phraseq
