#pragma once

#include <span>
#include <string>

#include "core/distributed/process_group.h"
#include "core/run/training/train_run.h"

namespace phraseq {

/// Trains in one of `processes`, from the options to the last checkpoint; `arguments` go into the
/// manifest. Returns the exit code: 0, or 128 + the signal that ended it.
int run_training_job(TrainRun& run,
                     std::span<const std::string> arguments,
                     ProcessGroup& processes);

}  // namespace phraseq
