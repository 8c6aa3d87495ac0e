#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/criterion/pending_sums.h"
#include "core/distributed/process_report.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/train/checkpoint_keeper.h"
#include "core/train/loss_trend.h"
#include "core/train/stop_rules.h"
#include "core/train/train_state.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/training_log.h"
#include "core/train/update/bad_updates.h"
#include "core/train/update/out_of_memory_recovery.h"
#include "core/train/update/update_gradients.h"
#include "core/train/update/update_group.h"
#include "core/train/validation/validations.h"

namespace phraseq {

struct TrainRecord;

/// An update queued on the GPU whose loss and norm are not yet on the host.
struct PendingUpdate {
  PendingSums sums;  ///< with the norm of the gradients
  SentenceIds sentence_ids;
};

/// Owns the update: gather batches, accumulate gradients, check, clip, step, log, validate, save,
/// stop; each a named step. All that changes is in one TrainState.
///
/// On a GPU, an update is settled while the next one is on its way: its sums and norm are read, and
/// counted, when the forward and backward passes of the next one have been queued, so that the GPU
/// never waits for the host. Whether the optimizer steps is decided on the GPU. Before anything is
/// logged, validated or saved, the update that came last is settled: what is written is the same.
/// Several processes, fp16 and the average of the parameters need the result at once.
class PHRASEQ_API Trainer {
 public:
  Trainer(TrainerDependencies parts, TrainerOptions options);
  Trainer(const Trainer&) = delete;  // its parts refer to its state
  Trainer& operator=(const Trainer&) = delete;

  /// Continues the run of the checkpoint at `path`. Throws UsageError that lists the options that
  /// differ, unless allowed by name (--allow-changed). `file` is needed in the first process only,
  /// which sends the tensors to the others.
  void resume(const std::string& path, const TrainRecord& record, const CheckpointFile* file);

  /// Trains until a limit is reached or a signal arrives; returns the number of the signal, 0 = a
  /// limit was reached.
  int run();

  const TrainState& state() const { return state_; }

 private:
  void restore_state(const std::string& path, const TrainRecord& record);
  void train_until_limit();
  UpdateGroup gather();
  int64_t updates_begun() const;
  UpdatePass next_pass() const;
  LossReport compute_everywhere(UpdateGroup& group);
  ProcessReport own_report(BatchReports reports) const;
  double read_sums_and_norm(BatchReports& reports) const;
  bool settles_later() const;
  void update(UpdateGroup group);
  void update_at_once(UpdateGroup group);
  void begin_update(UpdateGroup group);
  bool must_settle_now() const;
  void settle();
  void note_update(const LossReport& sums, double norm);
  void skip_bad_update(const SentenceIds& sentence_ids, double norm);
  void log_update();
  void after_update();
  bool is_at_end_of_epoch() const;
  void end_epoch();
  void warn_of_result() const;
  bool keeps_best(const TrainRecord& record) const;
  std::optional<double> validate();
  void write_checkpoint_to(const std::string& path);
  bool checkpoint_requested() const;
  int signalled() const;
  StopLimits limits() const;
  std::optional<std::string> limit(int64_t more_updates = 0) const;
  double loss_divisor(const LossReport& sums) const;
  double loss_scale() const { return loss_scaler_ ? loss_scaler_->scale() : 1.0; }
  TrainingPlace place() const;
  TrainingMoment moment() const;
  double learning_rate() const;

  TrainerDependencies parts_;
  TrainerOptions options_;
  TrainState state_;
  OutOfMemoryRecovery recovery_;
  UpdateGradients gradients_;
  BadUpdates bad_updates_;
  Validations validations_;
  CheckpointKeeper checkpoints_;
  std::optional<PendingUpdate> pending_;
  std::optional<LossScaler> loss_scaler_;  ///< with fp16
  ProcessReport agreed_;                   ///< combined report of all processes, last update
  double gradient_norm_ = 0;               ///< of the last update, before scaling and clipping
  LossTrend loss_trend_;
  bool is_new_model_ = true;
};

}  // namespace phraseq
