#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/train/remaining_time.h"
#include "core/train/train_state.h"
#include "core/train/training_progress.h"

namespace phraseq {

/// The line on standard error that training overwrites repeatedly.
class PHRASEQ_API ProgressBar {
 public:
  ~ProgressBar() { clear(); }

  /// Starts the bar for a run that begins (or is resumed) at `progress`.
  void begin(const StopLimits& limits, const TrainingProgress& progress);
  /// Draws the bar, at most five times per second.
  void show(const TrainingProgress& progress, const IntervalSums& sums, double interval_seconds);
  void clear();
  /// Sets the number of tokens in the sums of the interval that were processed before a resume and
  /// do not count toward the speed.
  void leave_out(int64_t tokens) { earlier_tokens_ = tokens; }

  /// The text of the bar, shortened to fewer than `columns` columns by omitting its last parts.
  std::string text(const TrainingProgress& progress,
                   const IntervalSums& sums,
                   double interval_seconds,
                   size_t columns) const;

 private:
  std::optional<RemainingTime> remaining_time_;
  StopLimits limits_;
  int64_t earlier_tokens_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace phraseq
