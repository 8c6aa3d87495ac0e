#pragma once

#include <memory>

#include "core/distributed/process_group.h"
#include "core/distributed/sharding/sharded_optimizer.h"
#include "core/nn/flat_parameters.h"
#include "core/optim/optimizer.h"
#include "core/run/training/train_run.h"

namespace phraseq {

/// The optimizer; `sharded` points to it if its state is divided among the processes; otherwise it
/// is null.
struct OptimizerParts {
  std::unique_ptr<Optimizer> optimizer;
  ShardedOptimizer* sharded = nullptr;
};

/// Makes the optimizer of a run, divided among the processes if --zero-sharding asks for it.
OptimizerParts make_optimizer(const TrainRun& run,
                              nn::FlatParameters& parameters,
                              ProcessGroup& processes);

}  // namespace phraseq
