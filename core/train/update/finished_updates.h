#pragma once

#include <string>

#include "core/base/api.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/train/loss_trend.h"
#include "core/train/train_state.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/training_progress.h"
#include "core/train/update/bad_updates.h"
#include "core/train/update/update_step.h"

namespace phraseq {

/// What a run knows of its updates after the optimizer has stepped: their number and the sums for
/// the log, which are parts of the training state, and the trend of the loss.
class PHRASEQ_API FinishedUpdates {
 public:
  /// The arguments must outlive the object.
  FinishedUpdates(const TrainerDependencies& dependencies,
                  const TrainerOptions& options,
                  TrainState& state);

  /// Counts an update and adds it to the averages of parameters and losses. A skipped one has not
  /// changed the parameters: it is only noted, and false is returned. `scaler` is null without
  /// fp16. Throws DivergenceError if too many updates were skipped.
  bool count(const UpdateResult& result, LossScaler* scaler);
  /// Logs the interval if it is complete.
  void log(const TrainingProgress& progress);
  /// A sentence about a training loss that has not fallen; empty otherwise.
  std::string loss_finding() const { return loss_trend_.finding(); }

 private:
  bool note_skipped(const UpdateResult& result, LossScaler* scaler);
  void add_to_sums(const UpdateResult& result);

  const TrainerDependencies& dependencies_;
  const TrainerOptions& options_;
  TrainState& state_;
  BadUpdates bad_updates_;
  LossTrend loss_trend_;
};

}  // namespace phraseq
