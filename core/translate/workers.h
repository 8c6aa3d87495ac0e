#pragma once

#include <cstdint>
#include <functional>

#include "core/base/api.h"

namespace phraseq {

/// How the machine's cores are used: the number of workers, and the number of threads for the
/// operators of each.
struct WorkerSettings {
  int64_t workers = 1;
  int64_t threads = 1;
};

/// Calls `job(number, worker)` for every number 0 … jobs-1, in order of the numbers, on `workers`
/// threads; a free worker takes the next one. A single worker is the calling thread. After the
/// first exception, no more jobs are started, and the exception is rethrown on the calling thread.
PHRASEQ_API void run_jobs(int64_t jobs,
                          const WorkerSettings& settings,
                          const std::function<void(int64_t number, int64_t worker)>& job);

}  // namespace phraseq
