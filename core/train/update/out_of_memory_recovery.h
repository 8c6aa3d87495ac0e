#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include <c10/core/Device.h>

#include "core/base/api.h"
#include "core/data/batching/batch_iterator.h"
#include "core/train/batch_size/memory_watch.h"
#include "core/train/train_state.h"
#include "core/train/training_log.h"
#include "core/train/update/update_group.h"

namespace phraseq {

/// Everything an OutOfMemoryRecovery uses; all of it must outlive the object.
struct RecoveryDependencies {
  const BatchIterator* batches = nullptr;  ///< makes the halves of a batch
  const TrainState* state = nullptr;
  TrainingLog* log = nullptr;
  c10::Device device = c10::kCPU;
  bool is_first_process = true;  ///< the other processes log errors only
};

/// The settings that determine when an OutOfMemoryRecovery gives up, and what it may advise.
struct RecoveryOptions {
  int64_t most_skipped_in_a_row = 0;    ///< the run ends after skipping this many sentences
  bool checkpoint_activations = false;  ///< already in use: the advice does not name it
};

/// Lets training continue after a batch that does not fit into memory: splits the batch in two, or
/// skips a batch of a single sentence. Logs which --max-tokens would fit.
class PHRASEQ_API OutOfMemoryRecovery {
 public:
  OutOfMemoryRecovery(const RecoveryDependencies& dependencies, const RecoveryOptions& options);

  void begin_pass() { memory_.begin_pass(); }
  /// Records that the passes since begin_pass, over `tokens` tokens in all, had enough memory.
  void record_success(int64_t tokens);
  /// Splits or skips `group.micro_batches[index]`, whose pass threw `failure`. Rethrows a `failure`
  /// that does not mean insufficient memory. Throws OutOfMemory after too many skipped sentences in
  /// a row.
  void recover(const std::exception_ptr& failure, UpdateGroup& group, size_t index);

 private:
  void split_or_skip(const std::string& reason, UpdateGroup& group, size_t index);
  void split(UpdateGroup& group, size_t index);
  void skip(const Batch& batch, const std::string& reason);
  void report(const std::string& done, const Batch& batch);
  void log(const std::string& text) const;
  std::string advice(int64_t tokens) const;

  RecoveryDependencies dependencies_;
  RecoveryOptions options_;
  MemoryWatch memory_;
  int64_t failed_tokens_ = 0;     ///< tokens of a batch that failed before any batch fit; 0 = none
  int64_t skipped_in_a_row_ = 0;  ///< sentences
};

/// Number of tokens of a batch as --max-tokens counts them.
PHRASEQ_API int64_t counted_tokens(const Batch& batch);

}  // namespace phraseq
