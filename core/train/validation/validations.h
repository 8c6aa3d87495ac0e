#pragma once

#include <optional>

#include "core/base/api.h"
#include "core/train/checkpoint_keeper.h"
#include "core/train/options/validation_options.h"
#include "core/train/train_state.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/training_progress.h"
#include "core/train/validation/best_score.h"
#include "core/train/validation/validation_result.h"

namespace phraseq {

/// The validations of a run: their results, and whether each is the best so far.
class PHRASEQ_API Validations {
 public:
  /// The dependencies and `state` must outlive the object. Without a validator there are no
  /// validations.
  Validations(const TrainerDependencies& dependencies,
              const ValidationOptions& options,
              TrainState& state);

  bool larger_is_better() const { return best_.larger_is_better(); }
  /// Whether the model would be validated now: there is a validator, and the model has had at least
  /// --validate-after-updates updates.
  bool are_possible() const;
  /// Whether the present model has been validated.
  bool is_done() const { return state_.last_validation.updates == state_.updates; }

  /// Validates the model, at most once per update, logs the result, and tells `checkpoints` whether
  /// it is the best so far. Returns the value of the metric, or nothing if there is no validation
  /// (yet).
  std::optional<double> validate(const TrainingProgress& progress, CheckpointKeeper& checkpoints);

  /// Throws DivergenceError if no validation computed a finite loss of the model, even if the run
  /// has reached its limit.
  void require_finite() const;

 private:
  ValidationResult result_of(Validator& validator) const;
  void note(const ValidationResult& result,
            const TrainingProgress& progress,
            CheckpointKeeper& checkpoints);
  void warn_of_divergence() const;

  const TrainerDependencies& dependencies_;
  const ValidationOptions& options_;
  TrainState& state_;
  BestScore best_;
};

}  // namespace phraseq
