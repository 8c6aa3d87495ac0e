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
#include "core/data/data_loader.h"
#include "core/nn/context.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/train/train_options.h"
#include "core/train/train_state.h"
#include "core/train/training_log.h"
#include "core/train/validator.h"
#include "core/translate/translation_model.h"

namespace phraseq {

struct TrainRecord;

/// What a trainer works with; all outlive it. `validator` and `folder` may be null.
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
};

struct TrainerOptions {
  OptimisationOptions optimization;
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

  /// Takes up a run where a checkpoint left it. Differing options are a UsageError that shows them,
  /// unless allowed by name (--allow-changed).
  void resume(const std::string& path);

  /// Trains until a limit or a signal; returns the signal's number, 0 = ended by a limit.
  int run();

  const TrainState& state() const { return state_; }

 private:
  std::vector<Batch> gather();
  bool all_batches_delivered() const;
  int64_t group_size() const;
  LossReport accumulate(const std::vector<Batch>& group);
  void update(const std::vector<Batch>& group);
  void skip_bad_update(const std::vector<Batch>& group, double norm);
  void after_update();
  void end_epoch();
  void validate();
  void require_same_options(const std::string& path, const TrainRecord& record) const;
  bool is_better(double value, bool maximize) const;
  bool chooses_by_loss() const;
  bool larger_is_better() const;
  void note_best(const nlohmann::json& scores);
  void save(const std::string& path);
  void keep_and_delete(const std::string& path);
  void save_by_epoch();
  void save_by_update();
  void write_checkpoint_to(const std::string& path);
  bool limits_reached() const;
  std::optional<std::string> limit_text() const;
  double loss_divisor(const LossReport& sums) const;
  TrainingPlace place() const;
  double learning_rate() const;

  TrainerParts parts_;
  TrainerOptions options_;
  TrainState state_;
  bool better_ = false;        // the last validation was the best so far
  double score_ = 0;           // the last validation's value of the metric that chooses
  bool unsaved_ = false;       // updates since the last checkpoint
  int64_t validated_at_ = -1;  // update of the last validation
};

}  // namespace phraseq
