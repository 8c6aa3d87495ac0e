#pragma once

#include <cstdint>
#include <optional>

#include "core/base/api.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/parameter_average.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Warns if the run ends before the learning rate has reached its peak.
PHRASEQ_API void warn_of_warmup(std::optional<int64_t> run_length, const OptionTable& table);

/// Warns if the average of --store-ema will still consist mainly of the initial parameters when the
/// run ends.
PHRASEQ_API void warn_of_average(std::optional<int64_t> run_length,
                                 const MovingAverageOptions& average);

/// Warns that --lr has no effect if the schedule is the same with another rate.
PHRASEQ_API void warn_of_unused_rate(const LrScheduler& scheduler,
                                     const LrScheduler& with_other_rate,
                                     const OptionTable& table);

/// A resumed run with a changed --max-update, and therefore a different learning-rate schedule.
struct ChangedLength {
  int64_t then = 0;
  int64_t now = 0;
  int64_t updates = 0;  ///< updates at the checkpoint
};

/// Warns if the earlier and the current --max-update result in different learning rates.
PHRASEQ_API void warn_of_schedule(const LrScheduler& then,
                                  const LrScheduler& now,
                                  const ChangedLength& length);

}  // namespace phraseq
