#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/base/signals.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/criterion/criterion.h"
#include "core/criterion/pending_sums.h"
#include "core/data/batching/batch_iterator.h"
#include "core/data/data_loader.h"
#include "core/distributed/process_group.h"
#include "core/distributed/process_report.h"
#include "core/distributed/reduction/overlapped_sum.h"
#include "core/distributed/sharding/sharded_optimizer.h"
#include "core/nn/context.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/optim/parameter_average.h"
#include "core/train/batch_size/memory_watch.h"
#include "core/train/best_score.h"
#include "core/train/checkpoint_keeper.h"
#include "core/train/loss_trend.h"
#include "core/train/shares/training_shares.h"
#include "core/train/stop_rules.h"
#include "core/train/train_options.h"
#include "core/train/train_state.h"
#include "core/train/training_log.h"
#include "core/train/validator.h"
#include "core/translate/translation_model.h"

namespace phraseq {

struct TrainRecord;

/// What a trainer works with; all outlive it. `validator`, `folder` and `average` may be null. Of
/// several processes, the first has a folder.
struct TrainerParts {
  TranslationModel* translator = nullptr;
  TrainingShares* shares = nullptr;  ///< of this model
  Optimizer* optimizer = nullptr;
  LrScheduler* scheduler = nullptr;
  BatchIterator* batches = nullptr;
  Validator* validator = nullptr;
  CheckpointFolder* folder = nullptr;
  TrainingLog* log = nullptr;
  StopSignals* signals = nullptr;
  ParameterAverage* average = nullptr;
  ProcessGroup* processes = &single_process();
  ShardedOptimizer* sharded = nullptr;  ///< the optimizer, where its state is divided
};

struct TrainerOptions {
  OptimizationOptions optimization;
  ValidationOptions validation;
  CheckpointOptions checkpoints;
  nn::Precision precision = nn::Precision::kFp32;
  uint64_t seed = 1;
  Wire wire = Wire::kSame;      ///< of gradients between processes
  int64_t bucket_bytes = 0;     ///< of gradients that are summed during the backward pass;
                                ///< 0 = after it
  LossScaleOptions loss_scale;  ///< with fp16
  bool checkpoint_activations = false;
  const OptionTable* table = nullptr;  ///< everything chosen, for the checkpoint; not owned
};

/// Of the batches of an update.
using SentenceIds = std::vector<std::vector<int64_t>>;

/// The batches of one update, which the processes share.
struct UpdateGroup {
  struct Own {
    int64_t position = 0;  ///< among all batches of the update: decides the dropout masks
    Batch batch;
    int64_t part = 0;  ///< of a batch that is divided: decides them, too
  };
  std::vector<Own> own;           ///< those of this process, or their shares
  SentenceIds sentence_ids;       ///< of all batches, by position
  std::vector<bool> contributes;  ///< by rank: whether it has a batch
};

/// An update that a GPU was given, of which the host does not know yet what came out.
struct PendingUpdate {
  PendingSums sums;  ///< and the norm of the gradients
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
  Trainer(TrainerParts parts, TrainerOptions options);
  Trainer(const Trainer&) = delete;  // its parts refer to its state
  Trainer& operator=(const Trainer&) = delete;

  /// Takes up a run where the checkpoint at `path` left it. Differing options are a UsageError that
  /// shows them, unless allowed by name (--allow-changed). `file` is needed in the first process
  /// only: the others get the tensors from there.
  void resume(const std::string& path, const TrainRecord& record, const CheckpointFile* file);

  /// Trains until a limit or a signal; returns the signal's number, 0 = ended by a limit.
  int run();

  const TrainState& state() const { return state_; }

 private:
  UpdateGroup gather();
  bool all_batches_delivered() const;
  int64_t group_size() const;
  BatchReports accumulate(UpdateGroup& group);
  std::exception_ptr accumulate_next(const UpdateGroup& group,
                                     const at::Tensor& so_far,
                                     BatchReports& reports);
  std::vector<TrainingShares::Outcome> compute_shares(const UpdateGroup& group, int64_t count);
  std::exception_ptr add_reports(const std::vector<TrainingShares::Outcome>& outcomes,
                                 const UpdateGroup& group,
                                 BatchReports& reports);
  int64_t updates_begun() const;
  int64_t shares_at_once(const UpdateGroup& group) const;
  LossReport loss_of(const ModelInstance& instance,
                     const UpdateGroup::Own& own,
                     uint64_t update_seed) const;
  void make_room_after(const std::exception_ptr& failure, UpdateGroup& group);
  LossReport accumulate_everywhere(UpdateGroup& group);
  ProcessReport own_report(UpdateGroup& group);
  double read_sums_and_norm(BatchReports& reports) const;
  void share_parameters();
  void announce_processes(const TrainRecord& record) const;
  void make_room(UpdateGroup& group, const std::string& reason);
  void divide_batch(UpdateGroup& group);
  void skip_batch(const Batch& batch, const std::string& reason);
  void note_fitted(int64_t tokens);
  void note_short_memory(const std::string& done, const Batch& batch);
  void log_of_memory(const std::string& text) const;
  std::string advice_on_memory(int64_t tokens) const;
  bool settles_later() const;
  void update(UpdateGroup group);
  void update_at_once(UpdateGroup group);
  void begin_update(UpdateGroup group);
  bool must_settle_now() const;
  void settle();
  void note_update(const LossReport& sums, double norm);
  void skip_bad_update(const SentenceIds& sentence_ids, double norm);
  void skip_overflow();
  void log_update();
  void after_update();
  void end_epoch();
  void warn_of_result() const;
  std::optional<double> validate();
  nlohmann::json validation_scores();
  void require_same_options(const std::string& path, const TrainRecord& record) const;
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

  TrainerParts parts_;
  TrainerOptions options_;
  TrainState state_;
  MemoryWatch memory_;
  BestScore best_;
  CheckpointKeeper checkpoints_;
  std::optional<PendingUpdate> pending_;
  std::optional<LossScaler> loss_scaler_;      ///< with fp16
  at::Tensor gradient_sum_;                    ///< [elements], of the earlier batches of an update
  std::unique_ptr<OverlappedSum> overlapped_;  ///< null: the gradients are summed afterwards
  ProcessReport agreed_;                       ///< of several processes, at the last update
  size_t running_batch_ = 0;           ///< of the group that is accumulated, or its first share
  double gradient_norm_ = 0;           ///< of the update's gradients as they were computed
  int64_t tokens_without_memory_ = 0;  ///< of a batch that did not fit before any did
  int64_t skipped_in_a_row_ = 0;       ///< sentences, for want of memory
  int64_t validated_at_ = -1;          // update of the last validation
  LossTrend loss_trend_;               ///< of a model that this run has initialized
  bool is_new_model_ = true;
  double validated_value_ = 0;  // of the metric, then
};

}  // namespace phraseq
