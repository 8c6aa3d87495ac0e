#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>

#include "core/data/batching/part_plans.h"
#include "core/data/data_loader.h"
#include "core/distributed/process_group.h"
#include "core/translate/post_process.h"
#include "core/translate/translation_model.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The split that a Validator evaluates, and the size of its batches.
struct ValidatorOptions {
  std::string subset = "valid";
  int64_t max_tokens = 4096;
  int64_t max_sentences = 0;
  int64_t translated_sentences = 0;  ///< 0 = all
  int64_t printed_samples = 0;
  PostProcess remove_bpe = PostProcess::kNotGiven;  ///< how to join subwords before scoring
};

/// The sentences of a split in batches, which are divided among the processes.
class ValidationSplit {
 public:
  /// Opens the split and warns of sentences that do not fit the model. Throws DataError if no
  /// sentence does, or if the split has no references.
  ValidationSplit(const TranslationModel& translation_model, const ValidatorOptions& options);

  /// The processes must outlive the split.
  void share_with(ProcessGroup& processes) { processes_ = &processes; }
  ProcessGroup& processes() const { return *processes_; }

  const Corpus& corpus() const { return *corpus_; }
  const PartPlans& plans() const { return plans_; }
  /// The numbers of the batches of this process.
  std::vector<size_t> own_batches() const;
  /// Calls `work(examples, worker)`, without gradients, for each batch of this process, and returns
  /// the results in that order. The examples are those of the batch whose ids are below `limit`.
  template <typename Result, typename Work>
  std::vector<Result> over_own_batches(const WorkerSettings& workers,
                                       int64_t limit,
                                       const Work& work) const {
    const std::vector<size_t> own = own_batches();
    std::vector<Result> results(own.size());
    run_jobs(std::ssize(own), workers, [&](int64_t number, int64_t worker) {
      const at::NoGradGuard no_grad;
      const auto index = static_cast<size_t>(number);
      results[index] = work(examples_of(own[index], limit), static_cast<size_t>(worker));
    });
    return results;
  }
  /// For work that reads the corpus or the task's text, which only one thread may do at a time.
  std::unique_lock<std::mutex> lock_text() const { return std::unique_lock(text_); }

 private:
  std::vector<Example> examples_of(size_t batch, int64_t limit) const;

  std::unique_ptr<Corpus> corpus_;
  PartPlans plans_;
  ProcessGroup* processes_ = &single_process();
  mutable std::mutex text_;
};

}  // namespace phraseq
