#include "core/train/resume/resume_training.h"

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/train/resume/change_of_scores.h"
#include "core/train/resume/resumed_state.h"
#include "core/train/resume/same_run.h"

namespace phraseq {
namespace {

/// Restores the tensors; only the first process has them.
void restore_tensors(const TrainerDependencies& dependencies,
                     const TrainerOptions& options,
                     const ResumedCheckpoint& checkpoint) {
  if (checkpoint.file == nullptr)
    return;
  restore_training(*checkpoint.file,
                   checkpoint.record,
                   *dependencies.translation_model,
                   options.checkpoints.reset_optimizer ? nullptr : dependencies.optimizer,
                   dependencies.average);
}

TrainState restore_state(const TrainerDependencies& dependencies,
                         const TrainerOptions& options,
                         LossScaler* scaler,
                         const ResumedCheckpoint& checkpoint) {
  const TrainRecord& record = checkpoint.record;
  const auto change =
      change_of_scores(*options.table, options.validation.best_checkpoint_metric, record.options);
  if (change)
    log_info(*change + ": the best score so far does not count");
  TrainState state = resumed_state(record.state, options.checkpoints, /*same_metric=*/!change);
  if (!options.checkpoints.reset_lr_scheduler)
    dependencies.scheduler->restore(state.scheduler);
  if (change)
    dependencies.scheduler->forget_values();
  if (scaler != nullptr && !state.loss_scaler.is_null()) {
    scaler->restore(
        JsonEntry(state.loss_scaler, checkpoint.path + ": the state of the loss scale"));
  }
  if (!options.checkpoints.reset_dataloader)
    dependencies.batches->restore(record.position);
  return state;
}

void announce(const TrainerDependencies& dependencies,
              const TrainState& state,
              const std::string& path) {
  log_info(fmt::format("resumed from {} at update {}, epoch {}, batch {}",
                       path,
                       state.updates,
                       dependencies.batches->epoch(),
                       dependencies.batches->batches_delivered()));
  dependencies.log->event("resume", {{"updates", state.updates}, {"checkpoint", path}});
}

}  // namespace

TrainState resume_training(const TrainerDependencies& dependencies,
                           const TrainerOptions& options,
                           LossScaler* scaler,
                           const ResumedCheckpoint& checkpoint) {
  const ResumingRun run{options.table,
                        dependencies.translation_model->task.get(),
                        &options.optimization,
                        &options.checkpoints,
                        dependencies.processes->size()};
  require_same_options(run, checkpoint.path, checkpoint.record);
  restore_tensors(dependencies, options, checkpoint);
  announce_processes(run, checkpoint.record);
  TrainState state = restore_state(dependencies, options, scaler, checkpoint);
  dependencies.translation_model->parameters->refresh_copy(options.precision);
  announce(dependencies, state, checkpoint.path);
  return state;
}

}  // namespace phraseq
