#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// How sentences are put together into batches.
struct BatchingOptions {
  int64_t max_tokens = 0;  ///< budget: the larger side's tokens summed over the batch, padding not
                           ///< counted; 0 = no limit
  int64_t max_sentences = 0;  ///< 0 = no limit
  int64_t max_source_positions = 1024;
  int64_t max_target_positions = 1024;
  uint64_t seed = 1;
  bool shuffle = true;  ///< order of batches and of equally long sentences, by seed and epoch
};

/// Skipped sentences by reason, with the first few numbers (from 1) of each.
struct PHRASEQ_API SkipReport {
  struct Reason {
    std::string what;
    int64_t count = 0;
    std::vector<int64_t> first;
  };
  std::vector<Reason> reasons;
  int64_t total() const;
  std::string text() const;
};

/// The batches of one epoch, as sentence indices: sentences are shuffled by (seed, epoch), sorted
/// by length (stable), cut into batches within the budget, and the batches shuffled. The only
/// sentences dropped are those in `skipped`: longer than the positions, or with an empty side.
struct PHRASEQ_API BatchPlan {
  std::vector<std::vector<int64_t>> batches;
  SkipReport skipped;
};
PHRASEQ_API BatchPlan plan_batches(const Corpus& corpus,
                                   const BatchingOptions& options,
                                   int64_t epoch);

}  // namespace phraseq
