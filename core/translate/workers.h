#pragma once

#include <cstdint>
#include <functional>

#include "core/base/api.h"

namespace phraseq {

/// How the machine's cores are used: so many workers, each with so many threads for its operators.
struct WorkerSettings {
  int64_t workers = 1;
  int64_t threads = 1;
};

/// Calls `job(number, worker)` for every number 0 … jobs-1, in order of the numbers, on `workers`
/// threads; a free worker takes the next. With one worker it is the calling thread. The first
/// exception stops the taking of jobs and is thrown again here.
PHRASEQ_API void run_jobs(int64_t jobs,
                          const WorkerSettings& settings,
                          const std::function<void(int64_t number, int64_t worker)>& job);

}  // namespace phraseq
