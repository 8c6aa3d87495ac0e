#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/distributed/placement.h"

namespace phraseq {

/// Everybody's entry in the store, as it comes in.
class Attendance {
 public:
  /// Both must outlive the object.
  Attendance(const Placement& placement, c10d::Store& store);

  /// Throws UsageError if another process has this rank.
  void sign_in();
  /// Waits until every rank has signed in and returns their names by rank. Throws UsageError if the
  /// ranks disagree on the world size, and a RankFailure if some do not arrive in time or one has
  /// reported a failure.
  std::vector<std::string> wait(std::chrono::seconds timeout);

 private:
  std::string entry_of(size_t rank);
  int64_t look();
  void note(int rank, const std::string& text);
  [[noreturn]] void throw_other_size(int rank, int size);
  void wait_for(const std::string& key);
  void require_no_failure();
  std::string presence_text() const;
  [[noreturn]] void throw_missing(std::chrono::seconds timeout) const;

  const Placement& placement_;
  c10d::Store& store_;
  std::vector<std::string> names_;  ///< by rank; empty before the process has signed in
};

}  // namespace phraseq
