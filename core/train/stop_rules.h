#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/train/training_progress.h"

namespace phraseq {

/// The limits that end a training: --max-update, --max-epoch, --stop-time-hours, --stop-min-lr and
/// --patience. 0 = no limit; a learning rate has no limit below 0.
struct StopLimits {
  int64_t max_update = 0;
  int64_t max_epoch = 0;
  double stop_time_hours = 0;
  double stop_min_lr = -1;
  int64_t patience = 0;
};

/// The first limit that is reached, as a text for the log ("epoch 3 of --max-epoch 3"); nothing
/// while no limit is reached. The learning rate counts only after the first update, and not while
/// it rises: a warm-up begins at 0.
PHRASEQ_API std::optional<std::string> reached_limit(const StopLimits& limits,
                                                     const TrainingProgress& progress);

}  // namespace phraseq
