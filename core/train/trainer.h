#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/distributed/process_report.h"
#include "core/train/checkpoint_keeper.h"
#include "core/train/skip_announcement.h"
#include "core/train/train_state.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/training_watch.h"
#include "core/train/update/finished_updates.h"
#include "core/train/update/out_of_memory_recovery.h"
#include "core/train/update/update_gradients.h"
#include "core/train/update/update_group.h"
#include "core/train/update/update_step.h"
#include "core/train/validation/validations.h"

namespace phraseq {

class CheckpointFile;
struct TrainRecord;

/// The training loop: for each epoch, for each update: forward and backward passes, the sum of the
/// gradients over the processes, clipping, the step of the optimizer, the log, a validation, a
/// checkpoint. Everything that changes is in one TrainState.
///
/// On a GPU, the result of an update is known only after the next one has been queued (UpdateStep).
/// Before anything is logged, validated or saved, the last update is finished, so what is written
/// is the same.
class PHRASEQ_API Trainer {
 public:
  Trainer(TrainerDependencies dependencies, TrainerOptions options);
  Trainer(const Trainer&) = delete;  // its members refer to its state
  Trainer& operator=(const Trainer&) = delete;

  /// Continues the run of the checkpoint at `path`. Throws a UsageError that lists the options that
  /// differ, except those allowed by --allow-changed. `file` is needed only in the first process,
  /// which sends the tensors to the others.
  void resume(const std::string& path, const TrainRecord& record, const CheckpointFile* file);

  /// Trains until a limit is reached or a signal arrives; returns the number of the signal, 0 = a
  /// limit was reached.
  int run();

  const TrainState& state() const { return state_; }

 private:
  bool is_comparable(const nlohmann::json& recorded) const;

  void train();
  void train_epoch();
  void train_update(UpdateGroup group);
  UpdateGroup gather();
  UpdatePass next_pass() const;
  void reduce(const UpdateGroup& group, BatchReports& reports);
  ProcessReport own_report(BatchReports reports) const;
  bool needs_result_now() const;
  void finish_pending_update();
  void finish_update();
  void validate_after_update();
  void end_epoch();
  std::optional<double> validate();
  void write_checkpoint_to(const std::string& path, bool stays);

  int64_t updates_before_next() const;
  int64_t updates_begun() const;
  bool was_stopped_in_end_of_epoch() const;
  void require_batches() const;
  void warn_of_result() const;

  TrainerDependencies dependencies_;
  TrainerOptions options_;
  TrainState state_;
  OutOfMemoryRecovery recovery_;
  UpdateGradients gradients_;
  UpdateStep step_;
  TrainingWatch watch_;
  FinishedUpdates finished_updates_;
  Validations validations_;
  CheckpointKeeper checkpoints_;
  SkipAnnouncement skipped_;
  bool is_new_model_ = true;
};

}  // namespace phraseq
