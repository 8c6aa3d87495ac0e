#include "core/train/validation/validations.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"

namespace phraseq {

Validations::Validations(const TrainerDependencies& parts,
                         const ValidationOptions& options,
                         TrainState& state)
    : parts_(parts),
      options_(options),
      state_(state),
      best_(phraseq::larger_is_better(options, parts.validator),
            state.best,
            state.validations_without_better) {}

std::optional<double> Validations::validate(const TrainingPlace& place,
                                            CheckpointKeeper& checkpoints) {
  checkpoints.forget_validation();
  const bool is_early = state_.updates < options_.validate_after_updates;
  if (parts_.validator == nullptr || is_early)
    return std::nullopt;
  if (state_.last_validation.updates == state_.updates)
    return state_.last_validation.value;
  note(scores_of(*parts_.validator), place, checkpoints);
  for (Validator* validator : parts_.further_validators)
    parts_.log->further_validation(place, scores_of(*validator));
  return state_.last_validation.value;
}

nlohmann::json Validations::scores_of(Validator& validator) const {
  const AverageInUse in_use(parts_.average);
  return validator.run();
}

void Validations::note(nlohmann::json scores,
                       const TrainingPlace& place,
                       CheckpointKeeper& checkpoints) {
  const std::string& metric = options_.best_checkpoint_metric;
  const double value =
      scores.value(ValidationOptions::is_loss(metric) ? metric : "score", std::nan(""));
  state_.last_validation = {state_.updates, value};
  checkpoints.note_validation(best_.note(value));
  if (state_.best)
    scores["best"] = *state_.best;
  scores["best_metric"] = metric;
  parts_.log->validation(place, scores);
  if (!std::isfinite(value))
    warn_of_divergence();
}

void Validations::warn_of_divergence() const {
  log_warning(fmt::format(
      "the validation at update {} gave the {} {}: the model has diverged, and this validation is "
      "never the best one. Reduce --lr, clip with --clip-norm, or use a longer warm-up",
      state_.updates,
      options_.best_checkpoint_metric,
      std::abs(state_.last_validation.value)));
}

void Validations::require_finite() const {
  if (state_.last_validation.updates < 0 || state_.best)
    return;
  throw DivergenceError(
      fmt::format("training diverged: no validation gave a finite {}",
                  options_.best_checkpoint_metric),
      "reduce --lr, clip with --clip-norm, or use a longer warm-up, and start from scratch in "
      "another --save-dir");
}

}  // namespace phraseq
