#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"
#include "core/criterion/pending_sums.h"
#include "core/distributed/process_report.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/train/trainer_dependencies.h"
#include "core/train/update/update_group.h"

namespace phraseq {

/// The result of an update.
struct PHRASEQ_API UpdateResult {
  LossReport sums;
  double gradient_norm = 0;  ///< of the mean loss, before clipping
  SentenceIds sentence_ids;

  /// False if the optimizer did not step because the loss or the gradient is not finite.
  bool is_finite() const;
};

/// The end of an update: normalizes and clips the summed gradients and steps the optimizer.
///
/// On a GPU, the result is read one update later, when the forward and backward passes of the next
/// update have been queued, so the GPU never waits for the host. Whether the optimizer steps is
/// decided on the GPU. Several processes, fp16 and the average of the parameters need the result at
/// once.
class PHRASEQ_API UpdateStep {
 public:
  /// Both arguments must outlive the object.
  UpdateStep(const TrainerDependencies& dependencies, const TrainerOptions& options);

  /// True if the result of a step is read one update later.
  bool is_deferred() const;
  /// Clips and steps. `reports` has the sums of all batches of the update, whose gradients are in
  /// the parameters' buffer. Take the result of the previous step first.
  void clip_and_step(BatchReports reports, SentenceIds sentence_ids, double learning_rate);
  /// True if the result of a step has not been taken yet.
  bool has_result() const { return pending_ || result_; }
  /// Waits for the result of the last step. Returns nothing if there was no memory for any batch.
  std::optional<UpdateResult> take_result();

  LossScaler* loss_scaler() { return loss_scaler_ ? &*loss_scaler_ : nullptr; }
  /// The loss scale; nothing without fp16.
  std::optional<double> loss_scale() const;

 private:
  /// A step queued on the GPU whose loss and norm are not yet on the host.
  struct PendingStep {
    PendingSums sums;  ///< with the norm of the gradients
    SentenceIds sentence_ids;
  };

  const at::Tensor& gradients() const;
  double divisor(const LossReport& sums) const;
  double read_sums_and_norm(BatchReports& reports) const;
  void step_now(BatchReports reports, SentenceIds sentence_ids, double learning_rate);
  void queue_step(const BatchReports& reports, SentenceIds sentence_ids, double learning_rate);

  const TrainerDependencies& dependencies_;
  const TrainerOptions& options_;
  std::optional<LossScaler> loss_scaler_;  ///< with fp16
  std::optional<UpdateResult> result_;
  std::optional<PendingStep> pending_;
};

}  // namespace phraseq
