#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/batching/batch_plan.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// Turns examples into a batch; a task's `collate`.
using Collate = std::function<Batch(const std::vector<Example>&)>;

/// Batches of an endless sequence of epochs, made ahead on a thread of its own.
///
/// The position (epoch, batches delivered) can be saved and restored: a condition of the interface.
/// What was only prefetched does not count as delivered. An exception on the thread reaches the
/// caller of `next`.
class PHRASEQ_API BatchIterator {
 public:
  BatchIterator(std::shared_ptr<Corpus> corpus,
                BatchingOptions options,
                Collate collate,
                int64_t prefetch = 4);
  ~BatchIterator();

  /// The next batch of the running epoch, or nothing at its end; the call after that begins the
  /// next.
  std::optional<Batch> next();
  int64_t epoch() const;              ///< from 1
  int64_t batches_delivered() const;  ///< in this epoch
  int64_t batches_in_epoch() const;
  const SkipReport& skipped() const;

  nlohmann::json position() const;
  /// Throws FormatError when the recorded data or batching options are others than ours, with the
  /// difference.
  void restore(const nlohmann::json& position);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
