#pragma once

#include <memory>

#include <c10/core/Device.h>

#include "core/base/api.h"
#include "core/distributed/distributed_options.h"
#include "core/distributed/placement.h"
#include "core/distributed/process_group.h"

namespace phraseq {

/// Finds the other processes of a run (c10d's TCPStore) and connects to them (c10d's Gloo or NCCL).
/// Throws what `meet` throws, and UsageError for a backend that this build does not have.
PHRASEQ_API std::unique_ptr<ProcessGroup> join_processes(const Placement& placement,
                                                         const DistributedOptions& options,
                                                         at::Device device);

}  // namespace phraseq
