#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/train/stop_rules.h"

namespace phraseq {

/// The position of a run: epochs with their fraction (2.5 = in the middle of the third), updates,
/// seconds.
struct RunPosition {
  double epochs = 0;
  int64_t updates = 0;
  double seconds = 0;
};

/// How far a run is and when it will end, from the speed since it began (validation and saving
/// included), and which of --max-epoch, --max-update and --stop-time-hours ends it. Limits that
/// depend on results (--patience, --stop-min-lr) are not foreseen.
class PHRASEQ_API RunProgress {
 public:
  /// `start` is the position where this process begins, which is not 0 in a resumed run.
  RunProgress(const StopLimits& limits, const RunPosition& start);

  /// Seconds until the first limit is reached; nothing before the first step or without a limit.
  std::optional<double> remaining_seconds(const RunPosition& now) const;
  /// "epoch 3 of 20", "update 812 of 8000" when --max-update ends the run before --max-epoch does,
  /// "epoch 3" when neither is given.
  std::string place_text(const RunPosition& now) const;

 private:
  std::optional<double> until_epochs(const RunPosition& now) const;
  std::optional<double> until_updates(const RunPosition& now) const;

  StopLimits limits_;
  RunPosition start_;
};

/// "2:05:09", "5:09": hours, minutes and seconds, rounded.
PHRASEQ_API std::string duration_text(double seconds);

}  // namespace phraseq
