#include "core/train/training_watch.h"

namespace phraseq {

TrainingWatch::TrainingWatch(const TrainerDependencies& dependencies,
                             const TrainerOptions& options,
                             const TrainState& state,
                             const UpdateStep& step)
    : dependencies_(dependencies), options_(options), state_(state), step_(step) {}

double TrainingWatch::learning_rate() const {
  return dependencies_.scheduler->rate(state_.updates);
}

TrainingProgress TrainingWatch::progress(int64_t more_updates) const {
  const int64_t updates = state_.updates + more_updates;
  TrainingProgress then;
  then.epoch = dependencies_.batches->epoch();
  then.batch = dependencies_.batches->batches_delivered();
  then.batches = dependencies_.batches->batches_in_epoch();
  then.updates = updates;
  then.finished_epochs = state_.finished_epochs;
  then.wall_seconds = dependencies_.log->wall_seconds();
  then.learning_rate = dependencies_.scheduler->rate(updates);
  then.learning_rate_rises =
      updates > 0 && then.learning_rate > dependencies_.scheduler->rate(updates - 1);
  then.loss_scale = step_.loss_scale();
  then.validations_without_better = state_.validations_without_better;
  then.best = state_.best;
  then.best_metric = options_.validation.best_checkpoint_metric;
  return then;
}

StopLimits TrainingWatch::limits() const {
  const auto& o = options_.optimization;
  return {o.max_update,
          o.max_epoch,
          o.stop_time_hours,
          o.stop_min_lr,
          dependencies_.validator == nullptr ? 0 : options_.validation.patience};
}

std::optional<std::string> TrainingWatch::limit(int64_t more_updates) const {
  TrainingProgress then = progress(more_updates);
  if (!dependencies_.processes->is_alone())
    then.wall_seconds = agreed_.wall_seconds;
  return reached_limit(limits(), then);
}

int TrainingWatch::signalled() const {
  if (!dependencies_.processes->is_alone())
    return agreed_.signal;
  return dependencies_.signals == nullptr ? 0 : dependencies_.signals->requested();
}

bool TrainingWatch::is_at_end_of_epoch() const {
  const BatchIterator& batches = *dependencies_.batches;
  return state_.finished_epochs < batches.epoch() &&
         batches.batches_delivered() == batches.batches_in_epoch();
}

bool TrainingWatch::is_validation_due_after(int64_t epoch) const {
  return epoch % options_.validation.validate_interval == 0;
}

bool TrainingWatch::ends_with_validation() const {
  return options_.validation.validate_interval_updates == 0 && limit().has_value();
}

bool TrainingWatch::checkpoint_requested() const {
  if (!dependencies_.processes->is_alone())
    return agreed_.checkpoint_requested;
  return dependencies_.signals != nullptr && dependencies_.signals->take_checkpoint_request();
}

}  // namespace phraseq
