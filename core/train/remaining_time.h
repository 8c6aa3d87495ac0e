#pragma once

#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/train/stop_rules.h"
#include "core/train/training_progress.h"

namespace phraseq {

/// When a run will end, from the speed since it began (validation and saving included), and which
/// of --max-epoch, --max-update and --stop-time-hours ends it. Limits that depend on results
/// (--patience, --stop-min-lr) are not foreseen.
class PHRASEQ_API RemainingTime {
 public:
  /// `start` is the progress when this process begins; it is not 0 in a resumed run.
  RemainingTime(const StopLimits& limits, const TrainingProgress& start);

  /// Seconds until the first limit is reached; nothing before the first step or without a limit.
  std::optional<double> seconds(const TrainingProgress& now) const;
  /// Whether --max-update ends the run before --max-epoch does.
  bool ends_by_updates(const TrainingProgress& now) const;
  /// "epoch 3 of 20", "update 812 of 8000" if the run ends by updates, "epoch 3" if neither is
  /// given.
  std::string position_text(const TrainingProgress& now) const;

 private:
  std::optional<double> until_epochs(const TrainingProgress& now) const;
  std::optional<double> until_updates(const TrainingProgress& now) const;

  StopLimits limits_;
  TrainingProgress start_;
};

/// "2:05:09", "5:09": hours, minutes and seconds, rounded.
PHRASEQ_API std::string duration_text(double seconds);

}  // namespace phraseq
