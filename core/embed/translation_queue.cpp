#include "core/embed/translation_queue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/exception_of.h"
#include "core/base/signals.h"
#include "core/base/wording/counted.h"
#include "core/embed/pending_request.h"
#include "core/embed/translation_failure.h"

namespace phraseq {
namespace {

/// A sentence of a round.
struct Share {
  PendingRequest* pending;
  size_t place;
};

/// What the sentences of a round have in common, so that they are searched together.
struct RoundKind {
  bool alignment = false;
  bool forced = false;

  /// Each kind in turn.
  RoundKind next() const { return {forced ? !alignment : alignment, !forced}; }
  /// The sentences of a request that a round of this kind takes; null where it takes none.
  std::deque<size_t>* places(PendingRequest& pending) const {
    auto& left = forced ? pending.forced : pending.plain;
    const bool fits = pending.request.options.alignment == alignment && !left.empty();
    return fits ? &left : nullptr;
  }
};

void check_options(const TranslationRequest& request, int64_t max_nbest) {
  const auto& options = request.options;
  if (options.nbest < 1 || options.nbest > max_nbest) {
    throw TranslationFailure(FailureReason::kBadInput,
                             "nbest",
                             fmt::format("{} is out of range: 1 to {}", options.nbest, max_nbest));
  }
  if (options.split < api::Split::kLong || options.split > api::Split::kNever) {
    throw TranslationFailure(
        FailureReason::kBadInput,
        "split",
        fmt::format("{} is none of the values of Split", static_cast<int>(options.split)));
  }
  if (!options.prefixes.empty() && options.prefixes.size() != request.texts.size()) {
    throw TranslationFailure(
        FailureReason::kBadInput,
        "prefix",
        fmt::format("expected one for each text, found {} for {}",
                    counted(static_cast<int64_t>(options.prefixes.size()), "prefix"),
                    counted(static_cast<int64_t>(request.texts.size()), "text")));
  }
}

}  // namespace

struct TranslationQueue::State {
  std::unique_ptr<TranslationEngine> engine;
  int64_t max_waiting = 0;

  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::unique_ptr<PendingRequest>> incoming;
  QueueFigures figures;
  bool stopping = false;

  std::list<std::unique_ptr<PendingRequest>> active;  // the thread's own, oldest first
  RoundKind kind;                                     // of the last round
  std::thread thread;

  void run();
  bool wait_for_work();
  void work();
  void take_incoming();
  void finish(PendingRequest& pending, TranslationAnswer answer);
  void fail(PendingRequest& pending, std::exception_ptr failure);
  void fail_all(const std::exception_ptr& failure);
  void drop_abandoned();
  void choose_kind();
  std::vector<Share> next_round();
  void translate_round(const std::vector<Share>& shares);
  void translate_apart(const std::vector<Share>& shares);
  bool translates_own(PendingRequest& pending, const std::vector<Share>& shares);
  void translate(const std::vector<Share>& shares);
  void answer_complete();
};

/// Waits until there is something to do; false at the end.
bool TranslationQueue::State::wait_for_work() {
  std::unique_lock lock(mutex);
  arrived.wait(lock, [this] { return stopping || !incoming.empty() || !active.empty(); });
  return !incoming.empty() || !active.empty();
}

void TranslationQueue::State::run() {
  block_signals_on_this_thread();
  engine->prepare_thread();
  while (wait_for_work()) {
    if (const auto failure = exception_of([this] { work(); }))  // memory ran out
      fail_all(failure);
  }
}

void TranslationQueue::State::work() {
  take_incoming();
  drop_abandoned();
  answer_complete();  // requests without sentences
  if (active.empty())
    return;
  translate_round(next_round());
  answer_complete();
}

void TranslationQueue::State::take_incoming() {
  std::vector<std::unique_ptr<PendingRequest>> taken;
  {
    const std::lock_guard lock(mutex);
    taken.swap(incoming);
  }
  for (auto& pending : taken) {
    const auto failure = exception_of([&] {
      encode_request(*engine, *pending);
      active.push_back(std::move(pending));
    });
    if (failure)
      fail(*pending, failure);
  }
}

void TranslationQueue::State::finish(PendingRequest& pending, TranslationAnswer answer) {
  {
    const std::lock_guard lock(mutex);
    --figures.waiting;
  }
  pending.done(std::move(answer));
}

void TranslationQueue::State::fail(PendingRequest& pending, std::exception_ptr failure) {
  finish(pending, {{}, std::move(failure)});
}

void TranslationQueue::State::fail_all(const std::exception_ptr& failure) {
  for (; !active.empty(); active.pop_front()) fail(*active.front(), failure);
}

void TranslationQueue::State::drop_abandoned() {
  std::erase_if(active, [this](const std::unique_ptr<PendingRequest>& pending) {
    if (!pending->is_abandoned())
      return false;
    fail(*pending, std::make_exception_ptr(nobody_waits()));
    return true;
  });
}

/// The next kind that has sentences; each active request has some left.
void TranslationQueue::State::choose_kind() {
  const auto has_places = [this](const auto& pending) { return kind.places(*pending) != nullptr; };
  do {
    kind = kind.next();
  } while (std::none_of(active.begin(), active.end(), has_places));
}

/// One sentence of each request in turn, all of one kind; the kinds take turns, too.
std::vector<Share> TranslationQueue::State::next_round() {
  choose_kind();
  std::vector<Share> shares;
  int64_t tokens = 0;
  bool found = true;
  while (found && tokens < engine->round_tokens()) {
    found = false;
    for (const auto& pending : active) {
      std::deque<size_t>* places = kind.places(*pending);
      if (places == nullptr)
        continue;
      const auto length =
          static_cast<int64_t>(pending->sentences[places->front()].example.source.size());
      if (!shares.empty() && tokens + length > engine->round_tokens())
        continue;
      shares.push_back({pending.get(), places->front()});
      places->pop_front();
      tokens += length;
      found = true;
    }
  }
  return shares;
}

void TranslationQueue::State::translate_round(const std::vector<Share>& shares) {
  try {
    translate(shares);
  } catch (...) {
    translate_apart(shares);
  }
}

/// After a failure: each request alone, so that only the one that causes it fails.
void TranslationQueue::State::translate_apart(const std::vector<Share>& shares) {
  std::erase_if(active, [&](const std::unique_ptr<PendingRequest>& pending) {
    return !translates_own(*pending, shares);
  });
}

/// False if the request's own shares fail; it is then answered.
bool TranslationQueue::State::translates_own(PendingRequest& pending,
                                             const std::vector<Share>& shares) {
  const auto failure = exception_of([&] {
    std::vector<Share> own;
    std::ranges::copy_if(shares, std::back_inserter(own), [&](const Share& share) {
      return share.pending == &pending;
    });
    if (!own.empty())
      translate(own);
  });
  if (failure)
    fail(pending, failure);
  return !failure;
}

void TranslationQueue::State::translate(const std::vector<Share>& shares) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<EngineSentence> sentences;
  int64_t tokens = 0;
  for (const Share& share : shares) {
    sentences.push_back(share.pending->sentences[share.place]);
    tokens += static_cast<int64_t>(sentences.back().example.source.size());
  }
  auto results =
      engine->translate(std::move(sentences), shares.front().pending->request.options.alignment);
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i].pending->results[shares[i].place] = std::move(results[i]);
    ++shares[i].pending->finished;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const std::lock_guard lock(mutex);
  ++figures.rounds;
  figures.sentences += static_cast<int64_t>(shares.size());
  figures.source_tokens += tokens;
  figures.seconds += time.count();
}

void TranslationQueue::State::answer_complete() {
  std::erase_if(active, [this](const std::unique_ptr<PendingRequest>& pending) {
    if (!pending->is_complete())
      return false;
    finish(*pending, answer_of(*pending));
    return true;
  });
}

TranslationQueue::TranslationQueue(std::unique_ptr<TranslationEngine> engine, int64_t max_waiting)
    : state_(new State) {
  state_->engine = std::move(engine);
  state_->max_waiting = max_waiting;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

TranslationQueue::~TranslationQueue() { finish(); }

void TranslationQueue::finish() {
  if (!state_->thread.joinable())
    return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->arrived.notify_all();
  state_->thread.join();
}

const TranslationEngine& TranslationQueue::engine() const { return *state_->engine; }

void TranslationQueue::submit(TranslationRequest request, Done done) {
  check_options(request, engine().max_nbest());
  const std::lock_guard lock(state_->mutex);
  if (state_->max_waiting > 0 && state_->figures.waiting >= state_->max_waiting)
    throw TranslationFailure(FailureReason::kQueueFull, "", "too many requests are waiting");
  ++state_->figures.waiting;
  state_->incoming.push_back(
      std::make_unique<PendingRequest>(PendingRequest{std::move(request), std::move(done)}));
  state_->arrived.notify_one();
}

QueueFigures TranslationQueue::figures() const {
  const std::lock_guard lock(state_->mutex);
  return state_->figures;
}

}  // namespace phraseq
