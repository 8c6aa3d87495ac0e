#include "core/train/update/finished_updates.h"

#include "core/optim/gradient.h"

namespace phraseq {

FinishedUpdates::FinishedUpdates(const TrainerDependencies& dependencies,
                                 const TrainerOptions& options,
                                 TrainState& state)
    : dependencies_(dependencies),
      options_(options),
      state_(state),
      bad_updates_(
          state, *dependencies.log, dependencies.folder, options.optimization.max_bad_updates) {}

bool FinishedUpdates::count(const UpdateResult& result, LossScaler* scaler) {
  if (!result.is_finite())
    return note_skipped(result, scaler);
  ++state_.updates;
  if (dependencies_.average != nullptr)
    dependencies_.average->update(state_.updates);
  state_.bad_updates_in_a_row = 0;
  loss_trend_.note(result.sums.loss_sum, result.sums.tokens);
  add_to_sums(result);
  return true;
}

bool FinishedUpdates::note_skipped(const UpdateResult& result, LossScaler* scaler) {
  if (scaler != nullptr)
    bad_updates_.note_overflow(*scaler);
  else
    bad_updates_.note(result.sentence_ids, result.sums.loss_sum, result.gradient_norm);
  return false;
}

void FinishedUpdates::add_to_sums(const UpdateResult& result) {
  const bool is_clipped = clip_factor(result.gradient_norm, options_.optimization.clip_norm) < 1.0;
  for (IntervalSums* sums : {&state_.interval, &state_.epoch}) {
    sums->losses.add(result.sums);
    sums->gradient_norm_sum += result.gradient_norm;
    sums->updates += 1;
    sums->clipped += is_clipped ? 1 : 0;
  }
}

/// The updates of the interval are also checked so that a skipped update does not log an interval
/// again.
void FinishedUpdates::log(const TrainingProgress& progress) {
  dependencies_.log->tick(progress, state_.interval);
  if (state_.interval.updates >= 1 && state_.updates % dependencies_.log->log_interval() == 0) {
    dependencies_.log->interval(progress, state_.interval);
    state_.interval = {};
  }
}

}  // namespace phraseq
