#include "core/translate/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include <ATen/Parallel.h>

#include "core/base/exception_of.h"
#include "core/base/threads.h"

namespace phraseq {
namespace {

/// The state that the workers share: the next job's number and the first failure.
struct Queue {
  explicit Queue(int64_t the_jobs) : jobs(the_jobs) {}

  const int64_t jobs;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;

  void fail(std::exception_ptr reason) {
    const std::lock_guard lock(mutex);
    if (!failure)
      failure = std::move(reason);
    next = jobs;
  }
};

void work(Queue& queue, int64_t worker, const std::function<void(int64_t, int64_t)>& job) {
  const std::exception_ptr failure = exception_of([&] {
    for (int64_t number = queue.next++; number < queue.jobs; number = queue.next++)
      job(number, worker);
  });
  if (failure)
    queue.fail(failure);
}

}  // namespace

void run_jobs(int64_t jobs,
              const WorkerSettings& settings,
              const std::function<void(int64_t, int64_t)>& job) {
  Queue queue(jobs);
  const int64_t workers = std::min(settings.workers, jobs);
  if (workers <= 1) {
    work(queue, 0, job);
  } else {
    const auto threads = start_threads(static_cast<size_t>(workers), [&](size_t worker) {
      at::set_num_threads(
          static_cast<int>(settings.threads));  // for the operators that this thread calls
      work(queue, static_cast<int64_t>(worker), job);
    });
    if (threads.empty())
      work(queue, 0, job);
  }
  if (queue.failure)
    std::rethrow_exception(queue.failure);
}

}  // namespace phraseq
