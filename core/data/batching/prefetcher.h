#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/api.h"
#include "core/data/batch.h"

namespace phraseq {

/// Calls `produce` on a separate thread, at most `depth` batches ahead, and keeps their order.
///
/// The thread receives no signals except SIGBUS. An exception of `produce` is rethrown by `next`
/// after the batches made before it, and by every later call. The destructor waits for the batch
/// that is being made and joins the thread.
class PHRASEQ_API Prefetcher {
 public:
  /// Returns nothing at the end, after which it is not called again.
  using Produce = std::function<std::optional<Batch>()>;

  Prefetcher(Produce produce, int64_t depth);
  ~Prefetcher();

  std::optional<Batch> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
