#pragma once

#include <chrono>
#include <string>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace phraseq {

/// c10d's ProcessGroupGloo on the interface with the address `address`, or on the one that
/// GLOO_SOCKET_IFNAME names. Throws UsageError in a build without it.
c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank,
                                                    int size,
                                                    const std::string& address,
                                                    std::chrono::milliseconds timeout);

}  // namespace phraseq
