#include "core/train/micro_batches/worker_threads.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <ATen/Parallel.h>

#include "core/base/exception_of.h"
#include "core/base/signals.h"

namespace phraseq {

struct WorkerThreads::State {
  std::mutex mutex;
  std::condition_variable_any begun, ended;
  const std::function<void(int64_t)>* job = nullptr;
  std::vector<std::exception_ptr> failures;  ///< one per job of this round
  int64_t round = 0;
  int64_t running = 0;
  std::vector<std::jthread> threads;  // last: joined before the members that they use are destroyed

  void work(const std::stop_token& stop, int64_t number, int64_t operator_threads) {
    block_signals_on_this_thread();
    at::set_num_threads(static_cast<int>(operator_threads));
    for (int64_t seen = 0;;) {
      std::unique_lock lock(mutex);
      if (!begun.wait(lock, stop, [&] { return round != seen; }))
        return;
      seen = round;
      if (number >= static_cast<int64_t>(failures.size()))
        continue;
      lock.unlock();
      std::exception_ptr failure = exception_of([&] { (*job)(number); });
      lock.lock();
      failures[static_cast<size_t>(number)] = std::move(failure);
      if (--running == 0)
        ended.notify_one();
    }
  }
};

WorkerThreads::WorkerThreads(int64_t threads, int64_t operator_threads) {
  if (threads <= 1)
    return;
  state_ = std::make_unique<State>();
  for (int64_t number = 0; number < threads; ++number) {
    state_->threads.emplace_back(
        [state = state_.get(), number, operator_threads](const std::stop_token& stop) {
          state->work(stop, number, operator_threads);
        });
  }
}

WorkerThreads::~WorkerThreads() = default;

std::vector<std::exception_ptr> WorkerThreads::run(int64_t count,
                                                   const std::function<void(int64_t)>& job) {
  if (!state_)
    return {exception_of([&] { job(0); })};
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.job = &job;
  state.failures.assign(static_cast<size_t>(count), nullptr);
  state.running = count;
  ++state.round;
  state.begun.notify_all();
  state.ended.wait(lock, [&] { return state.running == 0; });
  return std::move(state.failures);
}

}  // namespace phraseq
