#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/train/shares/share_threads.h"
#include "core/translate/translation_model.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The model and the criterion that one thread uses.
struct ModelInstance {
  const TranslationModel* translator = nullptr;
  Criterion* criterion = nullptr;
};

/// Computes the shares of a batch in parallel, each on its own thread with its own gradients. The
/// gradients are added in the order of the shares, so the sum does not depend on which thread is
/// faster.
///
/// The threads use instances of the model with the same parameters. The first one is the model
/// itself; when there is only one share, it is computed on the calling thread.
class PHRASEQ_API TrainingShares {
 public:
  /// `settings.workers` instances, with `settings.threads` for the operators of each. `translator`
  /// and `criterion` are the first instance's and outlive this; `make_criterion` makes the others'.
  TrainingShares(const TranslationModel& translator,
                 Criterion& criterion,
                 const std::function<std::unique_ptr<Criterion>()>& make_criterion,
                 const WorkerSettings& settings);

  /// The largest number of shares that are computed at once.
  int64_t count() const { return static_cast<int64_t>(instances_.size()); }

  struct Outcome {
    LossReport report;
    std::exception_ptr failure;  ///< null = none
  };
  /// The sums of a share; adds its gradient to that of the instance's parameters.
  using Work = std::function<LossReport(const ModelInstance& instance, int64_t share)>;

  /// Does the work of shares 0 to count - 1, with gradients that are zero at first.
  std::vector<Outcome> compute(int64_t count, const Work& work);
  /// Adds the gradients of shares 1 to count - 1 to those of share 0, which are the model's.
  void add_gradients(int64_t count);

 private:
  std::vector<TranslationModel> replicas_;  ///< all instances but the first
  std::vector<std::unique_ptr<Criterion>> criteria_;
  std::vector<ModelInstance> instances_;
  ShareThreads threads_;
};

/// How `threads` threads are used for batches of about `batch_tokens` tokens (0 = not known): as
/// many shares as have enough tokens for the products with the weights, and the rest of the threads
/// within operators.
PHRASEQ_API WorkerSettings threads_in_shares(int64_t threads, int64_t batch_tokens);

}  // namespace phraseq
