#include "core/data/batching/prefetcher.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/exception_of.h"
#include "core/base/signals.h"

namespace phraseq {

struct Prefetcher::State {
  Produce produce;
  size_t depth;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Batch> ready;
  bool ended = false;
  std::exception_ptr failure;
  std::jthread thread;  // last: it is joined before anything that it uses goes

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::optional<Batch> batch;
      const std::exception_ptr thrown = exception_of([&] { batch = produce(); });
      std::unique_lock lock(mutex);
      ended = !batch;
      failure = thrown;
      if (batch)
        ready.push_back(std::move(*batch));
      changed.notify_all();
      if (ended || !changed.wait(lock, stop, [this] { return ready.size() < depth; }))
        return;
    }
  }
};

Prefetcher::Prefetcher(Produce produce, int64_t depth) : state_(std::make_unique<State>()) {
  state_->produce = std::move(produce);
  state_->depth = static_cast<size_t>(std::max<int64_t>(depth, 1));
  const SignalsBlocked blocked;
  state_->thread =
      std::jthread([state = state_.get()](const std::stop_token& stop) { state->run(stop); });
}

Prefetcher::~Prefetcher() = default;

std::optional<Batch> Prefetcher::next() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->ready.empty() || state_->ended; });
  if (state_->ready.empty()) {
    if (state_->failure)
      std::rethrow_exception(state_->failure);
    return std::nullopt;
  }
  std::optional<Batch> batch = std::move(state_->ready.front());
  state_->ready.pop_front();
  state_->changed.notify_all();
  return batch;
}

}  // namespace phraseq
