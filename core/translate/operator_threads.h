#pragma once

#include <cstddef>
#include <cstdint>
#include <future>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/threads.h"

namespace phraseq {

/// Throws an Error (exit code 6) unless the system can start `count` more threads: OpenMP would end
/// the process without cleaning up.
inline void require_threads(size_t count) {
  const SignalsBlocked in_the_threads;
  std::promise<void> end;
  const auto threads =
      start_threads(count, [ended = end.get_future().share()](size_t) { ended.wait(); });
  end.set_value();
  if (threads.size() == count)
    return;
  throw Error(kExitIo,
              fmt::format("cannot start {} threads: the system allows {}", count, threads.size()),
              "Use fewer --threads, or raise the limit: ulimit -u, ulimit -v, or the pids limit of "
              "the container.");
}

/// Sets how many threads LibTorch's operators use; the system must be able to start as many.
inline void set_operator_threads(int64_t count) {
  at::set_num_threads(static_cast<int>(count));
  require_threads(static_cast<size_t>(at::get_num_threads()) - 1);
}

}  // namespace phraseq
