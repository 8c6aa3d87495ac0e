#include "core/train/update/update_step.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>

#include "core/nn/functional/reference/operators_only.h"
#include "core/optim/gradient.h"

namespace phraseq {

bool UpdateResult::is_finite() const {
  return std::isfinite(gradient_norm) && std::isfinite(sums.loss_sum);
}

UpdateStep::UpdateStep(const TrainerDependencies& dependencies, const TrainerOptions& options)
    : dependencies_(dependencies), options_(options) {
  if (options_.precision == nn::Precision::kFp16) {
    loss_scaler_.emplace(options_.loss_scale,
                         loss_scale_window(options_.loss_scale,
                                           dependencies_.processes->size(),
                                           options_.optimization.update_freq));
  }
}

bool UpdateStep::is_deferred() const {
  const bool on_device =
      !dependencies_.translation_model->parameters->values().is_cpu() || nn::operators_only();
  return on_device && dependencies_.processes->is_alone() && !loss_scaler_ &&
         dependencies_.average == nullptr && dependencies_.optimizer->can_step_if();
}

std::optional<double> UpdateStep::loss_scale() const {
  return loss_scaler_ ? std::optional(loss_scaler_->scale()) : std::nullopt;
}

const at::Tensor& UpdateStep::gradients() const {
  return dependencies_.translation_model->parameters->gradients();
}

/// The number that the loss of an update is divided by, at least 1.
double UpdateStep::divisor(const LossReport& sums) const {
  const LossNormalization by = options_.optimization.loss_normalization;
  if (by == LossNormalization::kSentences || options_.optimization.sentence_avg)
    return std::max(1.0, static_cast<double>(sums.sentences));
  return by == LossNormalization::kNone ? 1.0 : std::max(1.0, static_cast<double>(sums.tokens));
}

/// Copies all sums to the host, into the reports, and returns the norm of the gradients. The host
/// waits for a GPU only once.
double UpdateStep::read_sums_and_norm(BatchReports& reports) const {
  std::vector<LossReport*> all;
  for (auto& [position, report] : reports) all.push_back(&report);
  if (!gradients().is_cpu() || nn::operators_only())
    return read_together(all, gradient_norm_on_device(gradients()));
  read_together(all, {});  // fp16 has no kernels on the CPU
  return gradient_norm(gradients());
}

void UpdateStep::clip_and_step(BatchReports reports,
                               SentenceIds sentence_ids,
                               double learning_rate) {
  if (is_deferred())
    queue_step(reports, std::move(sentence_ids), learning_rate);
  else
    step_now(std::move(reports), std::move(sentence_ids), learning_rate);
}

void UpdateStep::step_now(BatchReports reports, SentenceIds sentence_ids, double learning_rate) {
  const double norm = read_sums_and_norm(reports);
  LossReport sums = sum_of(reports);
  if (sums.sentences == 0)
    return;  // there was no memory for any batch
  const double scale = divisor(sums) * loss_scale().value_or(1.0);
  result_ = UpdateResult{std::move(sums), norm / scale, std::move(sentence_ids)};
  if (!result_->is_finite())
    return;
  const double clip = clip_factor(result_->gradient_norm, options_.optimization.clip_norm);
  dependencies_.optimizer->step(learning_rate, clip / scale);
  if (loss_scaler_) {
    loss_scaler_->note_update();
    dependencies_.translation_model->parameters->refresh_fp16();
  }
}

/// Queues a step on the device, which itself decides whether to skip it.
void UpdateStep::queue_step(const BatchReports& reports,
                            SentenceIds sentence_ids,
                            double learning_rate) {
  LossReport sums = sum_of(reports);
  if (sums.sentences == 0)
    return;  // there was no memory for any batch
  const double scale = divisor(sums);
  const at::Tensor norm = gradient_norm_on_device(gradients()) / scale;
  const auto loss = sums.on_device.find(kLossSum);
  at::Tensor is_finite = norm.isfinite();
  if (loss != sums.on_device.end())
    is_finite = is_finite.logical_and(loss->second.isfinite());
  const at::Tensor clip = clip_factor_on_device(norm, options_.optimization.clip_norm);
  dependencies_.optimizer->step_if(is_finite, learning_rate, clip / scale);
  pending_.emplace(PendingStep{PendingSums(std::move(sums), norm), std::move(sentence_ids)});
}

std::optional<UpdateResult> UpdateStep::take_result() {
  if (!pending_)
    return std::exchange(result_, std::nullopt);
  PendingSums::Values values = pending_->sums.take();
  UpdateResult result{std::move(values.report), values.extra, std::move(pending_->sentence_ids)};
  pending_.reset();
  if (!result.is_finite())
    dependencies_.optimizer->set_steps(dependencies_.optimizer->steps() - 1);
  return result;
}

}  // namespace phraseq
