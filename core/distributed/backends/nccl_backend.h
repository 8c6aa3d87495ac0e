#pragma once

#include <chrono>

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Whether this build has c10d's NCCL.
PHRASEQ_API bool has_nccl();

/// c10d's ProcessGroupNCCL for tensors on the GPU `device`, which no other process uses. Calls wait
/// for the GPU, for at most `timeout`, and throw errors: nothing else ends the process. Throws
/// UsageError in a build without it.
c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank,
                                                    int size,
                                                    at::Device device,
                                                    std::chrono::milliseconds timeout);

}  // namespace phraseq
