#include "core/train/validation/validations.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/train/update/divergence.h"

namespace phraseq {
namespace {

/// One of the criterion's own values.
double extra_of(const ValidationLosses& losses, const std::string& metric) {
  const auto found = losses.extras.find(metric == kAccuracy ? kCorrectPerToken : metric);
  if (found != losses.extras.end())
    return found->second;
  std::vector<std::string> known = {"loss", "nll_loss"};
  for (const auto& [name, value] : losses.extras) known.push_back(name);
  throw UsageError(
      fmt::format("--best-checkpoint-metric {}: validation reports no such value; it "
                  "reports {}",
                  metric,
                  fmt::join(known, ", ")));
}

/// The value of --best-checkpoint-metric; NaN if the metric is a score and nothing was translated.
double value_of(const ValidationResult& result, const std::string& metric) {
  if (metric == "loss")
    return result.losses.loss;
  if (metric == "nll_loss")
    return result.losses.nll_loss;
  if (ValidationOptions::is_of_criterion(metric))
    return extra_of(result.losses, metric);
  return result.score ? result.score->value : std::nan("");
}

}  // namespace

Validations::Validations(const TrainerDependencies& dependencies,
                         const ValidationOptions& options,
                         TrainState& state)
    : dependencies_(dependencies),
      options_(options),
      state_(state),
      best_(phraseq::larger_is_better(options, dependencies.validator),
            state.best,
            state.validations_without_better) {}

std::optional<double> Validations::validate(const TrainingProgress& progress,
                                            CheckpointKeeper& checkpoints) {
  if (are_possible() && is_done())
    return state_.last_validation.value;
  checkpoints.forget_validation();
  if (!are_possible())
    return std::nullopt;
  note(result_of(*dependencies_.validator), progress, checkpoints);
  for (Validator* validator : dependencies_.further_validators)
    dependencies_.log->further_validation(progress, result_of(*validator));
  return state_.last_validation.value;
}

bool Validations::are_possible() const {
  return dependencies_.validator != nullptr && state_.updates >= options_.validate_after_updates;
}

ValidationResult Validations::result_of(Validator& validator) const {
  const AverageInUse in_use(dependencies_.average);
  return validator.run();
}

void Validations::note(const ValidationResult& result,
                       const TrainingProgress& progress,
                       CheckpointKeeper& checkpoints) {
  const double value = value_of(result, options_.best_checkpoint_metric);
  state_.last_validation = {state_.updates, value};
  checkpoints.note_validation(best_.note(value));
  TrainingProgress with_best = progress;
  with_best.best = state_.best;
  dependencies_.log->validation(with_best, result);
  if (!std::isfinite(value))
    warn_of_divergence();
}

void Validations::warn_of_divergence() const {
  log_warning(fmt::format(
      "the validation at update {} gave the {} {}: the model has diverged, and this validation is "
      "never the best one. {}",
      state_.updates,
      options_.best_checkpoint_metric,
      std::abs(state_.last_validation.value),
      kDivergenceRemedy));
}

void Validations::require_finite() const {
  if (state_.last_validation.updates < 0 || state_.best)
    return;
  throw DivergenceError(
      fmt::format("training diverged: no validation gave a finite {}",
                  options_.best_checkpoint_metric),
      fmt::format("{}, and start from scratch in another --save-dir.", kDivergenceRemedy));
}

}  // namespace phraseq
