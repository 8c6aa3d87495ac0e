#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/api.h"
#include "core/distributed/placement.h"

namespace phraseq {

using StorePointer = c10::intrusive_ptr<c10d::Store>;

/// Where the processes of a run meet: a key-value store that rank 0 (or the launcher) keeps.
struct Meeting {
  StorePointer store;
  std::vector<std::string> names;  ///< by rank: "rank 2 (node7, process 4711)"
};

/// Connects to the store and waits until every rank is there. Throws UsageError if the address
/// cannot be resolved, the port is in use, a rank occurs twice or the ranks disagree on the world
/// size, and a RankFailure that names the ranks if some do not arrive in time.
Meeting meet(const Placement& placement, std::chrono::seconds timeout);

/// The address of this machine on the interface that leads to `host`.
std::string local_address_towards(const std::string& host);

/// A store on a free port of the loopback interface, for processes that this one starts.
struct LocalStore {
  StorePointer store;
  int port = 0;
};
PHRASEQ_API LocalStore start_local_store();

}  // namespace phraseq
