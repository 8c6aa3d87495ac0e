#include "core/distributed/rendezvous/attendance.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/posix/host_name.h"
#include "core/distributed/process_group.h"
#include "core/distributed/roll_call.h"

namespace phraseq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kQuiet{5};  // after which a waiting process says what it waits for
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::milliseconds kLongestFarewell{5000};

}  // namespace

Attendance::Attendance(const Placement& placement, c10d::Store& store)
    : placement_(placement), store_(store), names_(static_cast<size_t>(placement.world_size)) {}

void Attendance::sign_in() {
  const std::string rank = std::to_string(placement_.rank);
  if (store_.add("joined/" + rank, 1) > 1) {
    throw UsageError(
        fmt::format("two processes have rank {} ({})", rank, placement_.source),
        "Every process needs its own RANK; a port can be used by only one run at a time.");
  }
  store_.set(
      "present/" + rank,
      nlohmann::json{
          {"host", host_name()}, {"process", ::getpid()}, {"world_size", placement_.world_size}}
          .dump());
}

std::vector<std::string> Attendance::wait(std::chrono::seconds timeout) {
  const auto start = Clock::now();
  bool is_quiet = placement_.rank == 0;
  while (look() > 0) {
    require_no_failure();
    const auto waited = Clock::now() - start;
    if (waited >= timeout)
      throw_missing(timeout);
    if (is_quiet && waited >= kQuiet) {
      log_warning("waiting: " + presence_text());
      is_quiet = false;
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  return names_;
}

/// What a process has signed in with; empty before that.
std::string Attendance::entry_of(size_t rank) {
  const std::string key = "present/" + std::to_string(rank);
  return store_.check({key}) ? store_.get_to_str(key) : "";
}

/// How many are still missing.
int64_t Attendance::look() {
  for (size_t rank = 0; rank < names_.size(); ++rank) {
    const std::string entry = names_[rank].empty() ? entry_of(rank) : "";
    if (!entry.empty())
      note(static_cast<int>(rank), entry);
  }
  return std::count(names_.begin(), names_.end(), std::string());
}

void Attendance::note(int rank, const std::string& text) {
  const auto entry = nlohmann::json::parse(text);
  const int size = entry.at("world_size").get<int>();
  if (size != placement_.world_size)
    throw_other_size(rank, size);
  names_[static_cast<size_t>(rank)] = fmt::format("rank {} ({}, process {})",
                                                  rank,
                                                  entry.at("host").get<std::string>(),
                                                  entry.at("process").get<int64_t>());
}

void Attendance::throw_other_size(int rank, int size) {
  const auto known_to = [](int who) { return fmt::format("other_size/{}", who); };
  store_.set(known_to(placement_.rank), "known");
  if (placement_.rank == 0)
    wait_for(known_to(rank));
  throw UsageError(fmt::format("rank {} was started with a world size of {}, rank {} with {}",
                               rank,
                               size,
                               placement_.rank,
                               placement_.world_size),
                   "WORLD_SIZE (or --distributed-world-size) must be equal for all processes.");
}

/// The store disappears when rank 0 ends, so rank 0 waits until the others have read it.
void Attendance::wait_for(const std::string& key) {
  try {
    store_.wait({key}, kLongestFarewell);
  } catch (const c10::Error& /*the other one has ended*/) {
  }
}

void Attendance::require_no_failure() {
  if (const auto failure = first_reported_failure(store_, placement_.world_size))
    throw RankFailure(fmt::format("rank {} stops: {}", placement_.rank, *failure));
}

/// "1 of 3 processes are at node0:29500; missing: rank 1, 2".
std::string Attendance::presence_text() const {
  std::vector<size_t> missing;
  for (size_t rank = 0; rank < names_.size(); ++rank) {
    if (names_[rank].empty())
      missing.push_back(rank);
  }
  return fmt::format("{} of {} processes are at {}; missing: rank {}",
                     names_.size() - missing.size(),
                     names_.size(),
                     placement_.meeting_place(),
                     fmt::join(missing, ", "));
}

void Attendance::throw_missing(std::chrono::seconds timeout) const {
  throw RankFailure(fmt::format("after {} s, {}", timeout.count(), presence_text()),
                    "Start all processes, with the same MASTER_ADDR, MASTER_PORT and WORLD_SIZE.");
}

}  // namespace phraseq
