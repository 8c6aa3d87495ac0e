#pragma once

#include <span>
#include <string>

#include "core/base/api.h"
#include "core/run/training/train_run.h"

namespace phraseq {

/// Assembles the run from its parsed options and trains, in this process or in the processes that
/// --nproc-per-node starts; `arguments` go into the manifest. Returns the exit code: 0, or 128 +
/// the signal that ended it.
PHRASEQ_API int train(TrainRun& run, std::span<const std::string> arguments);

}  // namespace phraseq
