#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/data/batching/batch_plan.h"
#include "core/data/data_loader.h"
#include "core/train/micro_batches/micro_batch_workers.h"
#include "core/train/micro_batches/training_pass.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Everything trial passes use; all of it must outlive them.
struct TrialDependencies {
  const TranslationModel* translation_model = nullptr;
  Criterion* criterion = nullptr;
  Corpus* corpus = nullptr;
  std::function<std::unique_ptr<Criterion>()> make_criterion;  ///< for the other model instances
  std::function<WorkerSettings(int64_t max_tokens)> threads;
};

/// Forward and backward passes over the longest sentence pairs of a corpus, as training makes them,
/// to see how much memory they need. They change only the gradients.
class PHRASEQ_API TrialPasses {
 public:
  /// `positions` limits the lengths of the sentences that training uses. Throws DataError if it
  /// excludes all of them.
  TrialPasses(TrialDependencies dependencies,
              PassSettings settings,
              const BatchingOptions& positions);

  int64_t longest() const;    ///< tokens of the longest sentence
  int64_t sentences() const;  ///< sentences of the corpus used for training
  int64_t tokens() const;     ///< tokens of these sentences on the longer side

  /// Returns the peak number of bytes in use, minus `before`, during a pass over the longest pairs,
  /// enough of them to reach one of the limits (0 = no limit); nothing if the total would exceed
  /// `before` + `bytes` or the device's memory.
  std::optional<int64_t> bytes_of(int64_t max_tokens,
                                  int64_t max_sentences,
                                  int64_t before,
                                  int64_t bytes);

 private:
  std::vector<int64_t> longest_pairs(int64_t max_tokens, int64_t max_sentences) const;
  std::vector<Batch> micro_batches_of(const std::vector<int64_t>& pairs) const;
  void run(int64_t max_tokens, int64_t max_sentences);

  TrialDependencies dependencies_;
  PassSettings settings_;
  std::vector<int64_t> order_;                  ///< indices of the pairs, longest first
  std::unique_ptr<MicroBatchWorkers> workers_;  ///< created on first use
};

}  // namespace phraseq
