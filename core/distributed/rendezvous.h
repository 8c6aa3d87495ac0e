#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/distributed/placement.h"
#include "core/distributed/rendezvous/store.h"

namespace phraseq {

/// Where the processes of a run meet: a key-value store that rank 0 (or the launcher) keeps.
struct Meeting {
  StorePointer store;
  std::vector<std::string> names;  ///< by rank: "rank 2 (node7, process 4711)"
};

/// Connects to the store and waits until every rank is there. Throws UsageError if the address
/// cannot be resolved, the port is in use, a rank occurs twice or the ranks disagree on the world
/// size, and a RankFailure that names the ranks if some do not arrive in time.
Meeting meet(const Placement& placement, std::chrono::seconds timeout);

}  // namespace phraseq
