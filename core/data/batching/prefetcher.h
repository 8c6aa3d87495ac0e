#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/api.h"
#include "core/data/batch.h"

namespace phraseq {

/// Calls `produce` ahead of need on a thread of its own, at most `depth` batches ahead, in order.
///
/// The thread takes no signals. What `produce` throws is thrown by `next`, after the batches made
/// before it, and by every later call. Destruction stops after the batch being made, and joins.
class PHRASEQ_API Prefetcher {
 public:
  /// `produce` answers nothing at the end, and is not called again.
  using Produce = std::function<std::optional<Batch>()>;

  Prefetcher(Produce produce, int64_t depth);
  ~Prefetcher();

  std::optional<Batch> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
