#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/train/micro_batches/worker_threads.h"
#include "core/translate/translation_model.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The model and the criterion that one thread uses.
struct ModelInstance {
  const TranslationModel* translation_model = nullptr;
  Criterion* criterion = nullptr;
};

/// Computes the micro-batches of a batch (--batch-shares) in parallel, each on its own thread with
/// its own gradients. The gradients are added in the order of the micro-batches, so the sum does
/// not depend on which thread is faster.
///
/// The threads use instances of the model with the same parameters. The first one is the model
/// itself; if it is the only one, the calling thread computes with it.
class PHRASEQ_API MicroBatchWorkers {
 public:
  /// Makes `settings.workers` instances, each with `settings.threads` threads for its operators.
  /// `translation_model` and `criterion` belong to the first instance and must outlive the object;
  /// `make_criterion` makes the criterions of the others.
  MicroBatchWorkers(const TranslationModel& translation_model,
                    Criterion& criterion,
                    const std::function<std::unique_ptr<Criterion>()>& make_criterion,
                    const WorkerSettings& settings);

  /// The largest number of micro-batches that are computed at once.
  int64_t count() const { return static_cast<int64_t>(instances_.size()); }

  struct Outcome {
    LossReport report;
    std::exception_ptr failure;  ///< null = none
  };
  /// Returns the sums of a micro-batch and adds its gradient to that of the instance's parameters.
  using Work = std::function<LossReport(const ModelInstance& instance, int64_t micro_batch)>;

  /// Does the work of micro-batches 0 to count - 1, with gradients that are zero at first.
  std::vector<Outcome> compute(int64_t count, const Work& work);
  /// Adds the gradients of micro-batches 1 to count - 1 to those of micro-batch 0, which are the
  /// model's own.
  void add_gradients(int64_t count);

 private:
  std::vector<TranslationModel> replicas_;  ///< all instances but the first
  std::vector<std::unique_ptr<Criterion>> criterions_;
  std::vector<ModelInstance> instances_;
  WorkerThreads threads_;
};

/// Divides `threads` threads for batches of about `batch_tokens` tokens (0 = unknown): as many
/// micro-batches as have enough tokens for efficient matrix products; the remaining threads are
/// used within operators.
PHRASEQ_API WorkerSettings workers_for_batch(int64_t threads, int64_t batch_tokens);

}  // namespace phraseq
