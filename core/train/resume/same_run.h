#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/options/option_table.h"
#include "core/train/train_checkpoint.h"
#include "core/train/train_options.h"

namespace phraseq {

/// A run that takes up another one.
struct ResumingRun {
  const OptionTable* table = nullptr;
  const Task* task = nullptr;
  const OptimizationOptions* optimization = nullptr;
  const CheckpointOptions* checkpoints = nullptr;
  int64_t processes = 1;
};

/// Options that differ from those in the record of the checkpoint at `path` are a UsageError that
/// shows them, unless allowed by name (--allow-changed).
PHRASEQ_API void require_same_options(const ResumingRun& run,
                                      const std::string& path,
                                      const TrainRecord& record);

/// Says when an update now consists of another number of batches.
PHRASEQ_API void announce_processes(const ResumingRun& run, const TrainRecord& record);

}  // namespace phraseq
