#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace phraseq {

/// Finds out which process caused a failed communication.
///
/// Every process writes a heartbeat (a counter, and how many collective calls it has begun) to the
/// store once a second, from its own thread and over its own connection, and its reason when it
/// ends with an error.
class RollCall {
 public:
  /// `names` by rank. `keeps_store`: this process must outlive the questions of the others.
  RollCall(c10::intrusive_ptr<c10d::Store> store,
           int rank,
           std::vector<std::string> names,
           bool keeps_store);
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// Records that a collective call begins.
  void note_call() { calls_.fetch_add(1); }
  /// Tells the others; `is_own`: the cause is in this process. Never throws.
  void report(const std::string& reason, bool is_own) noexcept;
  /// Declares that this process no longer needs the store. Never throws.
  void leave() noexcept;
  /// In a process that keeps the store, waits until all others have left, or for some seconds.
  /// Never throws.
  void wait_for_questions() noexcept;
  /// Whether rank 0 reports this as its own failure within a short time. Never throws.
  bool first_reports(const std::string& reason) noexcept;
  /// After a failed call: which rank is missing and why, as far as can be found out within a few
  /// seconds. Never throws.
  std::string finding() noexcept;
  /// Stops the heartbeat.
  void stop();

 private:
  struct Pulse {
    int64_t beats = 0;
    int64_t calls = 0;
  };
  void beat();
  Pulse pulse_of(size_t rank);
  std::optional<std::string> silent_ranks(const std::vector<Pulse>& earlier);
  std::optional<std::string> late_ranks();
  std::string look_around();

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  std::vector<std::string> names_;
  bool keeps_store_;
  std::set<size_t> gone_;  ///< ranks that were found to be silent
  std::atomic<int64_t> calls_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::thread thread_;
};

/// "rank 1 failed: …" for the first process that reported an error of its own.
std::optional<std::string> first_reported_failure(c10d::Store& store, int world_size);

}  // namespace phraseq
