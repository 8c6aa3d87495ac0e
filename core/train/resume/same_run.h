#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/options/option_table.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/options/optimization_options.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {

/// A run that continues another one.
struct ResumingRun {
  const OptionTable* table = nullptr;
  const Task* task = nullptr;
  const OptimizationOptions* optimization = nullptr;
  const CheckpointOptions* checkpoints = nullptr;
  int64_t processes = 1;
};

/// Number of batches per update of all processes together, indexed by epoch. (--update-freq counts
/// the batches of each process.)
PHRASEQ_API std::vector<int64_t> batches_per_update(int64_t processes,
                                                    std::vector<int64_t> update_freq);

/// Throws a UsageError that lists the options that differ from the record of the checkpoint at
/// `path`, except those allowed by --allow-changed.
PHRASEQ_API void require_same_options(const ResumingRun& run,
                                      const std::string& path,
                                      const TrainRecord& record);

/// Logs a change of the number of batches per update.
PHRASEQ_API void announce_processes(const ResumingRun& run, const TrainRecord& record);

}  // namespace phraseq
