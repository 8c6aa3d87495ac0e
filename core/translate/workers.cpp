#include "core/translate/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>

namespace phraseq {

namespace {

/// What the workers share: the next job's number and the first failure.
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
  try {
    for (int64_t number = queue.next++; number < queue.jobs; number = queue.next++)
      job(number, worker);
  } catch (...) {
    queue.fail(std::current_exception());
  }
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
    std::vector<std::thread> threads;
    for (int64_t worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&queue, &job, &settings, worker] {
        at::set_num_threads(
            static_cast<int>(settings.threads));  // of the operators this thread calls
        work(queue, worker, job);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  if (queue.failure)
    std::rethrow_exception(queue.failure);
}

}  // namespace phraseq
