#include "core/train/resume/resumed_state.h"

namespace phraseq {
namespace {

/// The epochs are counted from 1 again.
void reset_data(TrainState& state) {
  state.finished_epochs = 0;
  state.epoch = {};
}

/// A new optimizer counts its updates from 0, so that the schedule of the learning rate begins
/// again.
void reset_updates(TrainState& state) {
  state.updates = 0;
  state.bad_updates = 0;
  state.bad_updates_in_a_row = 0;
  state.scheduler.clear();
  state.loss_scaler = nullptr;
  state.interval = {};
}

void reset_best(TrainState& state) {
  state.best.reset();
  state.validations_without_better = 0;
  state.last_validation = {};
}

}  // namespace

TrainState resumed_state(const TrainState& recorded,
                         const CheckpointOptions& options,
                         bool keeps_best) {
  TrainState state = recorded;
  if (options.reset_optimizer)
    reset_updates(state);
  if (options.reset_dataloader)
    reset_data(state);
  if (!keeps_best)
    reset_best(state);
  return state;
}

}  // namespace phraseq
