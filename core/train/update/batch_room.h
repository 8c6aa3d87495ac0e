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

/// What makes room for batches; all outlive it.
struct BatchRoomParts {
  const BatchIterator* batches = nullptr;  ///< makes the halves of a batch
  const TrainState* state = nullptr;
  TrainingLog* log = nullptr;
  c10::Device device = c10::kCPU;
  bool is_first_process = true;  ///< the others' log has errors only
};

struct BatchRoomOptions {
  int64_t most_skipped_in_a_row = 0;  ///< sentences; the run ends at this number
  bool checkpoint_activations = false;
};

/// Goes on with training where a batch does not fit into memory: the batch is divided; one of a
/// single sentence is skipped. Says which --max-tokens would fit.
class PHRASEQ_API BatchRoom {
 public:
  BatchRoom(const BatchRoomParts& parts, const BatchRoomOptions& options);

  void begin_pass() { memory_.begin_pass(); }
  /// The passes since begin_pass, over `tokens` tokens in all, had enough memory.
  void note_fitted(int64_t tokens);
  /// Divides `group.own[place]`, or takes it out, after a pass that threw `failure`; throws it
  /// again when it is not about memory. Throws OutOfMemory when too many in a row had no room.
  void make_after(const std::exception_ptr& failure, UpdateGroup& group, size_t place);

 private:
  void make(const std::string& reason, UpdateGroup& group, size_t place);
  void divide(UpdateGroup& group, size_t place);
  void skip(const Batch& batch, const std::string& reason);
  void note(const std::string& done, const Batch& batch);
  void log(const std::string& text) const;
  std::string advice(int64_t tokens) const;

  BatchRoomParts parts_;
  BatchRoomOptions options_;
  MemoryWatch memory_;
  int64_t tokens_without_room_ = 0;  ///< of a batch that did not fit before any did
  int64_t skipped_in_a_row_ = 0;     ///< sentences
};

/// The tokens of a batch as --max-tokens counts them.
PHRASEQ_API int64_t counted_tokens(const Batch& batch);

}  // namespace phraseq
