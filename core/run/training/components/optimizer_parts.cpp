#include "core/run/training/components/optimizer_parts.h"

#include <utility>

#include "core/optim/named_optimizer.h"

namespace phraseq {

OptimizerParts make_optimizer(const TrainRun& run,
                              nn::FlatParameters& parameters,
                              ProcessGroup& processes) {
  const auto make = [&run](const OptimizerSetup& setup) -> std::unique_ptr<Optimizer> {
    return std::make_unique<NamedOptimizer>(run.optimizer, setup);
  };
  if (run.distributed.zero_sharding == ZeroSharding::kNone || processes.is_alone())
    return {make({&parameters}), nullptr};
  auto sharded =
      std::make_unique<ShardedOptimizer>(make, run.optimizer.name, parameters, processes);
  ShardedOptimizer* const same = sharded.get();
  return {std::move(sharded), same};
}

}  // namespace phraseq
