#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/batching/batch_iterator.h"

namespace phraseq {

/// Sentence ids of an update, one list per batch.
using SentenceIds = std::vector<std::vector<int64_t>>;

/// A batch, or the part of it that is computed in one forward and backward pass.
struct MicroBatch {
  int64_t position = 0;  ///< index among all batches of the update; seeds the dropout masks
  Batch batch;
  int64_t part = 0;  ///< which part of a split batch; also seeds the masks
};

/// The batches of one update, which are divided among the processes.
struct UpdateGroup {
  std::vector<MicroBatch> micro_batches;  ///< of the batches of this process
  SentenceIds sentence_ids;               ///< of all batches, indexed by position
  std::vector<bool> contributes;          ///< indexed by rank: true if that process has a batch
};

/// The size of an update.
struct UpdateSize {
  int64_t batches = 1;        ///< number of batches, all processes together
  int64_t target_tokens = 0;  ///< > 0: batches are added until they have this many tokens
};

/// Collects the batches of the next update: fewer than requested at the end of the epoch, and none
/// after it. The iterator is asked for its end only while the group is empty. Therefore, the last,
/// smaller group is an update of its own, and a checkpoint after it still belongs to the end of
/// this epoch.
PHRASEQ_API UpdateGroup gather_update(BatchIterator& batches,
                                      const UpdateSize& size,
                                      int64_t processes);

/// True if the epoch has no further batch.
PHRASEQ_API bool all_batches_delivered(const BatchIterator& batches);

}  // namespace phraseq
