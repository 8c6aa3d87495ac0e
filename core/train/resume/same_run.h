#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// The batches of an update that all processes together compute, by epoch: of --update-freq, which
/// is for each process.
PHRASEQ_API std::vector<int64_t> batches_per_update(int64_t processes,
                                                    std::vector<int64_t> update_freq);

/// Options that differ from those in the record of the checkpoint at `path` are a UsageError that
/// shows them, unless allowed by name (--allow-changed).
PHRASEQ_API void require_same_options(const ResumingRun& run,
                                      const std::string& path,
                                      const TrainRecord& record);

/// Says when an update now consists of another number of batches.
PHRASEQ_API void announce_processes(const ResumingRun& run, const TrainRecord& record);

}  // namespace phraseq
