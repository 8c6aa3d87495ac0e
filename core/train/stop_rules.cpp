#include "core/train/stop_rules.h"

#include <fmt/format.h>

#include "core/base/wording/counted.h"

namespace phraseq {

std::optional<std::string> reached_limit(const StopLimits& limits,
                                         const TrainingProgress& progress) {
  if (limits.max_update > 0 && progress.updates >= limits.max_update)
    return fmt::format("update {} of --max-update {}", progress.updates, limits.max_update);
  if (limits.max_epoch > 0 && progress.finished_epochs >= limits.max_epoch)
    return fmt::format("epoch {} of --max-epoch {}", progress.finished_epochs, limits.max_epoch);
  if (limits.stop_time_hours > 0 && progress.wall_seconds >= 3600.0 * limits.stop_time_hours)
    return fmt::format("--stop-time-hours {}", limits.stop_time_hours);
  if (progress.updates > 0 && !progress.learning_rate_rises &&
      progress.learning_rate <= limits.stop_min_lr)
    return fmt::format("the learning rate reached --stop-min-lr {}", limits.stop_min_lr);
  if (limits.patience > 0 && progress.validations_without_better >= limits.patience)
    return fmt::format("{} without improvement (--patience {})",
                       counted(progress.validations_without_better, "validation"),
                       limits.patience);
  return std::nullopt;
}

}  // namespace phraseq
