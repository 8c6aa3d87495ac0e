#pragma once

#include <chrono>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/api.h"
#include "core/distributed/placement.h"

namespace phraseq {

using StorePointer = c10::intrusive_ptr<c10d::Store>;

/// Connects to the store at which the processes of `placement` meet; rank 0 starts it unless a
/// launcher has. Throws UsageError if the address cannot be resolved or the port is in use, and
/// RankFailure if the store cannot be reached in time.
StorePointer open_store(const Placement& placement, std::chrono::seconds timeout);

/// A store on a free port of the loopback interface, for processes that this one starts.
struct LocalStore {
  StorePointer store;
  int port = 0;
};
PHRASEQ_API LocalStore start_local_store();

}  // namespace phraseq
