#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/base/api.h"
#include "core/distributed/process_report.h"
#include "core/train/stop_rules.h"
#include "core/train/train_state.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/training_progress.h"
#include "core/train/update/update_step.h"

namespace phraseq {

/// Watches a training run: its progress, the limit that ends it, and what signals request. If there
/// are several processes, all decide by the combined report of the last update, so they decide
/// alike.
class PHRASEQ_API TrainingWatch {
 public:
  /// All arguments must outlive the object.
  TrainingWatch(const TrainerDependencies& dependencies,
                const TrainerOptions& options,
                const TrainState& state,
                const UpdateStep& step);

  /// Records the combined report of all processes.
  void note(ProcessReport agreed) { agreed_ = std::move(agreed); }

  double learning_rate() const;
  /// The progress after `more_updates` further updates.
  TrainingProgress progress(int64_t more_updates = 0) const;

  /// The stop limits; patience is ignored without a validator.
  StopLimits limits() const;
  /// The limit that would be reached after `more_updates` further updates.
  std::optional<std::string> limit(int64_t more_updates = 0) const;
  /// The number of the signal that ends the run, 0 = none.
  int signalled() const;
  /// True if a limit is reached or a signal has arrived.
  bool is_over() const { return limit() || signalled() != 0; }
  /// True if the last update finished an epoch that has not been counted yet.
  bool is_at_end_of_epoch() const;

  bool is_validation_due_after(int64_t epoch) const;
  /// True if the run ends now and is validated before its last checkpoint is written.
  bool ends_with_validation() const;
  /// True if SIGUSR1 has asked for a checkpoint since the last call or the last report.
  bool checkpoint_requested() const;

 private:
  const TrainerDependencies& dependencies_;
  const TrainerOptions& options_;
  const TrainState& state_;
  const UpdateStep& step_;
  ProcessReport agreed_;  ///< of the last update
};

}  // namespace phraseq
