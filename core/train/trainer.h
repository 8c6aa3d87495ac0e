#pragma once

#include <cstdint>
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
#include "core/data/batching/batch_iterator.h"
#include "core/data/data_loader.h"
#include "core/nn/context.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/optim/parameter_average.h"
#include "core/train/best_score.h"
#include "core/train/checkpoint_keeper.h"
#include "core/train/loss_trend.h"
#include "core/train/stop_rules.h"
#include "core/train/train_options.h"
#include "core/train/train_state.h"
#include "core/train/training_log.h"
#include "core/train/validator.h"
#include "core/translate/translation_model.h"

namespace phraseq {

struct TrainRecord;

/// What a trainer works with; all outlive it. `validator`, `folder` and `average` may be null.
struct TrainerParts {
  TranslationModel* translator = nullptr;
  Criterion* criterion = nullptr;
  Optimizer* optimizer = nullptr;
  LrScheduler* scheduler = nullptr;
  BatchIterator* batches = nullptr;
  Validator* validator = nullptr;
  CheckpointFolder* folder = nullptr;
  TrainingLog* log = nullptr;
  StopSignals* signals = nullptr;
  ParameterAverage* average = nullptr;
};

struct TrainerOptions {
  OptimizationOptions optimization;
  ValidationOptions validation;
  CheckpointOptions checkpoints;
  nn::Precision precision = nn::Precision::kFp32;
  uint64_t seed = 1;
  const OptionTable* table = nullptr;  ///< everything chosen, for the checkpoint; not owned
};

/// Owns the update: gather batches, accumulate gradients, check, clip, step, log, validate, save,
/// stop; each a named step. All that changes is in one TrainState.
class PHRASEQ_API Trainer {
 public:
  Trainer(TrainerParts parts, TrainerOptions options);
  Trainer(const Trainer&) = delete;  // its parts refer to its state
  Trainer& operator=(const Trainer&) = delete;

  /// Takes up a run where a checkpoint left it. Differing options are a UsageError that shows them,
  /// unless allowed by name (--allow-changed).
  void resume(const CheckpointFile& file);

  /// Trains until a limit or a signal; returns the signal's number, 0 = ended by a limit.
  int run();

  const TrainState& state() const { return state_; }

 private:
  std::vector<Batch> gather();
  bool all_batches_delivered() const;
  int64_t group_size() const;
  LossReport accumulate(const std::vector<Batch>& group);
  LossReport accumulate_what_fits(std::vector<Batch>& group);
  void skip_batch(const Batch& batch, const std::string& reason);
  void update(std::vector<Batch> group);
  void skip_bad_update(const std::vector<Batch>& group, double norm);
  void after_update();
  void end_epoch();
  void warn_of_result() const;
  std::optional<double> validate();
  nlohmann::json validation_scores();
  void require_same_options(const std::string& path, const TrainRecord& record) const;
  void write_checkpoint_to(const std::string& path);
  bool checkpoint_requested() const;
  StopLimits limits() const;
  std::optional<std::string> limit() const;
  double loss_divisor(const LossReport& sums) const;
  TrainingPlace place() const;
  TrainingMoment moment() const;
  double learning_rate() const;

  TrainerParts parts_;
  TrainerOptions options_;
  TrainState state_;
  BestScore best_;
  CheckpointKeeper checkpoints_;
  size_t running_batch_ = 0;      ///< of the group that is accumulated
  int64_t skipped_in_a_row_ = 0;  ///< batches, for want of memory
  int64_t validated_at_ = -1;     // update of the last validation
  LossTrend loss_trend_;          ///< of a model that this run has initialized
  bool is_new_model_ = true;
  double validated_value_ = 0;    // of the metric, then
};

}  // namespace phraseq
