#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Threads that wait for work throughout training: with a new thread for each update, LibTorch
/// would have to rebuild the caches of its operators. They receive no signals.
class PHRASEQ_API WorkerThreads {
 public:
  /// `threads` is at least 1; with 1, the calling thread does the work. `operator_threads` is the
  /// number of threads for the operators of each of several threads.
  WorkerThreads(int64_t threads, int64_t operator_threads);
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  /// Calls job(0) to job(count - 1) at the same time, each on its own thread, and waits for all.
  /// `count` is at most the number of threads. Returns the exception of each call; null if it threw
  /// none.
  std::vector<std::exception_ptr> run(int64_t count, const std::function<void(int64_t)>& job);

 private:
  struct State;
  std::unique_ptr<State> state_;  ///< null with one thread
};

}  // namespace phraseq
