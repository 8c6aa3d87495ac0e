#include "core/train/validation/best_score.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/train/options/validation_options.h"
#include "core/train/validation/validator.h"

namespace phraseq {

BestScore::BestScore(bool larger_is_better,
                     std::optional<double>& best,
                     int64_t& validations_without_better)
    : larger_is_better_(larger_is_better),
      best_(best),
      validations_without_better_(validations_without_better) {}

bool BestScore::is_better(double value) const {
  if (!best_)
    return true;
  return larger_is_better_ ? value > *best_ : value < *best_;
}

bool BestScore::note(double value) {
  const bool better = std::isfinite(value) && is_better(value);
  const bool is_best = better || value == best_;
  validations_without_better_ = better ? 0 : validations_without_better_ + 1;
  if (is_best)
    best_ = value;
  return is_best;
}

bool larger_is_better(const ValidationOptions& options, const Validator* validator) {
  const std::string& metric = options.best_checkpoint_metric;
  if (ValidationOptions::is_accuracy(metric))
    return true;
  if (ValidationOptions::is_of_criterion(metric) || validator == nullptr)
    return options.maximize_best_checkpoint_metric;
  if (options.maximize_best_checkpoint_metric && !validator->larger_score_is_better())
    throw UsageError(options.maximize_problem());
  return validator->larger_score_is_better();
}

std::string score_text(std::string_view metric, double value) {
  if (ValidationOptions::is_loss(metric))
    return fmt::format("{} {:.3f}", metric, value / std::numbers::ln2);
  return fmt::format("{} {:.2f}", metric, value);
}

}  // namespace phraseq
