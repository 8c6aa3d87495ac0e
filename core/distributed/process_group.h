#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/base/error.h"

namespace phraseq {

/// Another process of the run has ended, failed, or does not answer. The message names it.
class PHRASEQ_API RankFailure : public Error {
 public:
  explicit RankFailure(std::string_view message, std::string_view hint = {})
      : Error(kExitIo, message, hint) {}
};

/// The type in which numbers are sent between processes.
enum class Wire { kSame, kBf16 };

/// The processes that train one model together. Every process calls the same functions in the same
/// order; each call waits for all others, and throws RankFailure if one of them is gone or takes
/// longer than --distributed-timeout.
class PHRASEQ_API ProcessGroup {
 public:
  ProcessGroup(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~ProcessGroup() = default;
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Whether this is rank 0, the only one that writes files.
  bool is_first() const { return rank_ == 0; }
  bool is_alone() const { return size_ == 1; }

  /// The texts of all processes, by rank.
  virtual std::vector<std::string> all_texts(const std::string& mine) = 0;
  /// The text of rank 0; those of the others are ignored.
  std::string text_of_first(const std::string& text);
  /// Overwrites `tensor` [...] with that of rank 0; contiguous, of the same shape everywhere.
  virtual void take_from_first(at::Tensor& tensor) = 0;
  /// Writes to `sums` the sum of `mine` [elements] over the ranks for which `contributes` is true,
  /// added in the order of ranks: the same bits on every rank, and the same as one process that
  /// adds the parts one after another. `sums` may be `mine`.
  virtual void sum_into(at::Tensor& sums,
                        const at::Tensor& mine,
                        const std::vector<bool>& contributes,
                        Wire wire) = 0;
  /// The same in place.
  void sum_in_rank_order(at::Tensor& values, const std::vector<bool>& contributes, Wire wire) {
    sum_into(values, values, contributes, wire);
  }
  /// Completes `values` [elements], of which rank r has its shard, the elements from r · shard_size
  /// to (r + 1) · shard_size, or to the end.
  virtual void gather_shards(at::Tensor& values, int64_t shard_size) = 0;
  /// Tells the others why this process ends. Returns true if rank 0 fails for the same reason and
  /// will report it. Never throws.
  virtual bool report_failure(const std::string& /*reason*/, bool /*is_own*/) noexcept {
    return false;
  }
  /// Ends the run in order: waits until all processes have called it.
  virtual void finish() {}

 private:
  int rank_;
  int size_;
};

/// The group of one process that does everything by itself.
PHRASEQ_API ProcessGroup& single_process();

}  // namespace phraseq
