#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/train/run_progress.h"
#include "core/train/train_state.h"

namespace phraseq {

/// Values that the bar shows in addition to the sums of the interval.
struct BarPlace {
  int64_t epoch = 1;
  int64_t batch = 0;    ///< batches delivered so far in this epoch
  int64_t batches = 0;  ///< batches in this epoch
  int64_t updates = 0;
  double learning_rate = 0;
  std::optional<double> best;             ///< best value of the validations so far
  std::string_view best_metric;           ///< "loss", "bleu"
  std::optional<double> loss_scale = {};  ///< with --fp16
};

/// The one line on standard error that a training overwrites again and again.
class PHRASEQ_API ProgressBar {
 public:
  ~ProgressBar() { clear(); }

  /// Starts the bar for a run that begins (or is resumed) at `place`, `seconds` after the log was
  /// opened.
  void begin(const StopLimits& limits, const BarPlace& place, double seconds);
  /// Draws the bar, at most five times per second.
  void show(const BarPlace& place,
            const IntervalSums& sums,
            double seconds,
            double interval_seconds);
  void clear();
  /// Sets the number of tokens in the sums of the interval that were processed before a resume and
  /// do not count for the speed.
  void leave_out(int64_t tokens) { earlier_tokens_ = tokens; }

  /// The text of the bar, cut between its parts to less than `columns`.
  std::string text(const BarPlace& place,
                   const IntervalSums& sums,
                   double seconds,
                   double interval_seconds,
                   size_t columns) const;

 private:
  std::optional<RunProgress> progress_;
  StopLimits limits_;
  int64_t earlier_tokens_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// "loss 3.123", "bleu 23.10"; losses in base 2, as in the log.
PHRASEQ_API std::string score_text(std::string_view metric, double value);

}  // namespace phraseq
