#include "core/distributed/roll_call.h"

#include <chrono>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/signals.h"

namespace phraseq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeat{1000};
constexpr std::chrono::milliseconds kSilence{3500};  // without a beat, then a process is gone
constexpr std::chrono::milliseconds kAsk{100};
constexpr std::chrono::seconds kAlike{2};
constexpr std::chrono::seconds kQuestions{8};  // how long rank 0 keeps the store after a failure

std::string failure_key(size_t rank) { return "failed/" + std::to_string(rank); }
std::string left_key(size_t rank) { return "left/" + std::to_string(rank); }
std::string pulse_key(size_t rank) { return "pulse/" + std::to_string(rank); }

/// What an error says without its hint, which may name a file that only the first process writes.
std::string without_hint(const std::string& reason) {
  return reason.substr(0, reason.rfind("\n  "));
}

struct ReportedFailure {
  std::string reason;
  bool is_own = false;
};

std::optional<ReportedFailure> reported_failure(c10d::Store& store, size_t rank) {
  if (!store.check({failure_key(rank)}))
    return std::nullopt;
  const auto entry = nlohmann::json::parse(store.get_to_str(failure_key(rank)));
  return ReportedFailure{entry.at("reason").get<std::string>(), entry.at("own").get<bool>()};
}

}  // namespace

std::optional<std::string> first_reported_failure(c10d::Store& store, int world_size) {
  for (size_t rank = 0; rank < static_cast<size_t>(world_size); ++rank) {
    const auto failure = reported_failure(store, rank);
    if (failure && failure->is_own)
      return fmt::format("rank {} failed: {}", rank, failure->reason);
  }
  return std::nullopt;
}

RollCall::RollCall(c10::intrusive_ptr<c10d::Store> store,
                   int rank,
                   std::vector<std::string> names,
                   bool keeps_store)
    : store_(std::move(store)), rank_(rank), names_(std::move(names)), keeps_store_(keeps_store) {
  thread_ = std::thread([this] { beat(); });
}

RollCall::~RollCall() { stop(); }

void RollCall::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

/// Ends when the store is gone: processes that need it find out by themselves.
void RollCall::beat() {
  block_signals_on_this_thread();
  try {
    const auto own = store_->clone();  // waiting for an answer on the other would stop the pulse
    std::unique_lock lock(mutex_);
    for (int64_t beats = 1; !stopped_; ++beats) {
      lock.unlock();
      own->set(pulse_key(static_cast<size_t>(rank_)), fmt::format("{} {}", beats, calls_.load()));
      lock.lock();
      changed_.wait_for(lock, kBeat, [this] { return stopped_; });
    }
  } catch (const std::exception& /*store is gone*/) {
    return;
  }
}

RollCall::Pulse RollCall::pulse_of(size_t rank) {
  Pulse pulse;
  if (store_->check({pulse_key(rank)}))
    std::istringstream(store_->get_to_str(pulse_key(rank))) >> pulse.beats >> pulse.calls;
  return pulse;
}

/// Those without a beat since `earlier` that have not said why.
std::optional<std::string> RollCall::silent_ranks(const std::vector<Pulse>& earlier) {
  std::vector<std::string> silent;
  for (size_t rank = 0; rank < names_.size(); ++rank) {
    if (static_cast<int>(rank) == rank_ || reported_failure(*store_, rank))
      continue;
    if (pulse_of(rank).beats == earlier[rank].beats) {
      silent.push_back(names_[rank]);
      gone_.insert(rank);
    }
  }
  if (silent.empty())
    return std::nullopt;
  return fmt::format("{} {} without a message: killed, out of memory, or stopped",
                     fmt::join(silent, ", "),
                     silent.size() == 1 ? "is gone" : "are gone");
}

/// Those that have not begun the call that this process is in.
std::optional<std::string> RollCall::late_ranks() {
  std::vector<std::string> late;
  for (size_t rank = 0; rank < names_.size(); ++rank) {
    if (static_cast<int>(rank) != rank_ && pulse_of(rank).calls < calls_.load())
      late.push_back(names_[rank]);
  }
  if (late.empty())
    return std::nullopt;
  return fmt::format("{} did not arrive in time, but still runs (--distributed-timeout)",
                     fmt::join(late, ", "));
}

std::string RollCall::look_around() {
  std::vector<Pulse> earlier;
  for (size_t rank = 0; rank < names_.size(); ++rank) earlier.push_back(pulse_of(rank));
  const auto end = Clock::now() + kSilence;
  while (Clock::now() < end) {
    if (const auto failure = first_reported_failure(*store_, static_cast<int>(names_.size())))
      return *failure;
    std::this_thread::sleep_for(kAsk);
  }
  if (const auto silent = silent_ranks(earlier))
    return *silent;
  if (const auto late = late_ranks())
    return *late;
  return "a connection between the processes broke";
}

std::string RollCall::finding() noexcept {
  try {
    return look_around();
  } catch (const std::exception& /*the store does not answer*/) {
    return fmt::format("{} is gone, or the machine with the store", names_.front());
  }
}

void RollCall::report(const std::string& reason, bool is_own) noexcept {
  try {
    store_->set(failure_key(static_cast<size_t>(rank_)),
                nlohmann::json{{"reason", reason}, {"own", is_own}}.dump(
                    -1, ' ', false, nlohmann::json::error_handler_t::replace));
  } catch (const std::exception& /*nobody is left to be told*/) {
    return;
  }
}

bool RollCall::first_reports(const std::string& reason) noexcept {
  try {
    const auto end = Clock::now() + kAlike;
    while (rank_ != 0 && Clock::now() < end) {
      if (const auto failure = reported_failure(*store_, 0))
        return failure->is_own && without_hint(failure->reason) == without_hint(reason);
      std::this_thread::sleep_for(kAsk);
    }
  } catch (const std::exception& /*rank 0 is gone*/) {
    return false;
  }
  return false;
}

void RollCall::leave() noexcept {
  try {
    store_->set(left_key(static_cast<size_t>(rank_)), "yes");
  } catch (const std::exception& /*nobody is left to be told*/) {
    return;
  }
}

void RollCall::wait_for_questions() noexcept {
  if (!keeps_store_)
    return;
  try {
    const auto end = Clock::now() + kQuestions;
    for (size_t rank = 0; rank < names_.size(); ++rank) {
      const bool will_leave = static_cast<int>(rank) != rank_ && !gone_.contains(rank);
      while (will_leave && !store_->check({left_key(rank)})) {
        if (Clock::now() >= end)
          return;
        std::this_thread::sleep_for(kAsk);
      }
    }
  } catch (const std::exception& /*only waiting*/) {
    return;
  }
}

}  // namespace phraseq
