#include "core/train/resume/resumed_state.h"

namespace phraseq {
namespace {

/// Restarts the count of epochs at 1.
void reset_data(TrainState& state) {
  state.finished_epochs = 0;
  state.epoch = {};
}

/// Restarts the count of updates at 0, so that the learning rate schedule starts over.
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
  state.saved_best.reset();
  state.validations_without_better = 0;
  state.last_validation = {};
}

}  // namespace

TrainState resumed_state(const TrainState& recorded,
                         const CheckpointOptions& options,
                         bool same_metric) {
  TrainState state = recorded;
  if (options.reset_optimizer)
    reset_updates(state);
  if (options.reset_dataloader)
    reset_data(state);
  if (!same_metric || options.reset_meters || options.reset_optimizer)
    reset_best(state);
  return state;
}

}  // namespace phraseq
