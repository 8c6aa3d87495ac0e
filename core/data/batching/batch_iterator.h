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

/// Turns examples into a batch: a task's `collate`.
using Collate = std::function<Batch(const std::vector<Example>&)>;

/// A batch of the plan.
struct PlannedBatch {
  std::vector<Batch> micro_batches;   ///< empty if the batch belongs to another process
  int64_t owner = 0;                  ///< rank of that process
  std::vector<int64_t> sentence_ids;  ///< of the batch, even if another process makes it
  int64_t target_tokens = 0;
};

/// Batches of an endless sequence of epochs, prepared in advance on a separate thread.
///
/// The position (epoch, batches delivered) can be saved and restored; the interface requires this.
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
  /// next. For batches that are neither shared nor divided.
  std::optional<Batch> next();
  /// Call before the first batch: declares this to be process `rank` of `size`. Of the batches from
  /// the beginning of an epoch (or from a restored position of a different number of processes) on,
  /// it makes every `size`th one, starting with number `rank`.
  void share(int64_t rank, int64_t size);
  /// Call before the first batch: divides every batch into this many micro-batches, of which each
  /// has every `micro_batches`th sentence; fewer where a batch has fewer sentences. `next_planned`
  /// delivers them together. What a batch consists of does not change.
  void divide(int64_t micro_batches);
  /// Like `next`, but also delivers the batches of other processes, without making them.
  std::optional<PlannedBatch> next_planned();
  /// Makes a batch of these sentences independently of the plan: what is delivered next does not
  /// change.
  Batch batch_of(const std::vector<int64_t>& sentence_ids) const;
  int64_t epoch() const;              ///< from 1
  int64_t batches_delivered() const;  ///< in this epoch
  int64_t batches_in_epoch() const;
  const SkipReport& skipped() const;

  nlohmann::json position() const;
  /// Throws a FormatError that names the difference if the recorded data or batching options differ
  /// from the current ones.
  void restore(const nlohmann::json& position);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
