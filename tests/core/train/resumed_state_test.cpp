#include "core/train/resume/resumed_state.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

/// The state of a run with reduce_lr_on_plateau.
TrainState recorded_state() {
  TrainState state;
  state.updates = 7;
  state.validations_without_better = 1;
  state.scheduler = {{"bad_epochs", 1}, {"best", 2.5}, {"lr", 0.01}};
  return state;
}

TEST(ResumedState, OfTheSameMetricIsThatOfTheCheckpoint) {
  const TrainState state = resumed_state(recorded_state(), {}, true);
  EXPECT_EQ(state.scheduler, recorded_state().scheduler);
  EXPECT_EQ(state.validations_without_better, 1);
}

TEST(ResumedState, OfAnotherMetricHasNoBestScore) {
  const TrainState state = resumed_state(recorded_state(), {}, false);
  EXPECT_EQ(state.validations_without_better, 0);
  EXPECT_EQ(state.updates, 7);
}

TEST(ResumedState, WithoutMetersHasTheStateOfTheSchedule) {
  CheckpointOptions options;
  options.reset_meters = true;
  const TrainState state = resumed_state(recorded_state(), options, true);
  EXPECT_EQ(state.scheduler, recorded_state().scheduler);
  EXPECT_EQ(state.validations_without_better, 0);
}

}  // namespace
}  // namespace phraseq
