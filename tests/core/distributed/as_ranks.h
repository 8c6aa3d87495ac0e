#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "core/distributed/c10d_group.h"
#include "core/distributed/rendezvous/store.h"

namespace phraseq::testing {

/// Runs `body` as every rank of a group, each on a thread.
inline void as_ranks_at(const LocalStore& store,
                        int size,
                        const std::function<void(ProcessGroup&)>& body) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      Placement placement;
      placement.rank = rank;
      placement.world_size = size;
      placement.address = "127.0.0.1";
      placement.port = store.port;
      placement.store_is_running = true;
      DistributedOptions options;
      options.timeout = 20;
      const auto group = join_processes(placement, options, at::kCPU);
      body(*group);
    });
  }
}

inline void as_ranks(int size, const std::function<void(ProcessGroup&)>& body) {
  as_ranks_at(start_local_store(), size, body);
}

}  // namespace phraseq::testing
