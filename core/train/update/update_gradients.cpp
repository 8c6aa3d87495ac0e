#include "core/train/update/update_gradients.h"

#include "core/base/random.h"
#include "core/train/update/gradient_sum.h"

namespace phraseq {
namespace {

uint64_t dropout_seed(const MicroBatch& micro_batch, uint64_t update_seed) {
  const uint64_t seed = mix_seeds(update_seed, static_cast<uint64_t>(micro_batch.position));
  return micro_batch.part == 0 ? seed : mix_seeds(seed, static_cast<uint64_t>(micro_batch.part));
}

}  // namespace

UpdateGradients::UpdateGradients(const GradientDependencies& dependencies,
                                 const SumSettings& settings)
    : dependencies_(dependencies), wire_(settings.wire) {
  if (dependencies_.processes->is_alone() || settings.bucket_bytes <= 0)
    return;
  const auto bytes = static_cast<int64_t>(dependencies_.parameters->values().element_size());
  overlapped_ = std::make_unique<OverlappedSum>(
      *dependencies_.processes, *dependencies_.parameters, settings.bucket_bytes / bytes, wire_);
}

BatchReports UpdateGradients::compute(UpdateGroup& group, const UpdatePass& pass) {
  if (overlapped_)
    overlapped_->begin(group.contributes);
  BatchReports reports = compute_own(group, pass);
  if (overlapped_)
    overlapped_->finish();  // even if there was no batch
  return reports;
}

void UpdateGradients::sum(const std::vector<bool>& contributes, bool again) {
  if (overlapped_ && !again) {
    overlapped_->take();
  } else {
    dependencies_.processes->sum_in_rank_order(
        dependencies_.parameters->gradients(), contributes, wire_);
  }
}

BatchReports UpdateGradients::compute_own(UpdateGroup& group, const UpdatePass& pass) {
  BatchReports reports;
  GradientSum sum(*dependencies_.parameters, gradient_sum_);
  for (running_ = 0; running_ < group.micro_batches.size();) {
    const size_t first = running_;
    const std::exception_ptr failure = compute_next(group, pass, sum.so_far(), reports);
    if (running_ > first)
      sum.add(/*is_last=*/running_ == group.micro_batches.size());
    if (failure)
      dependencies_.recovery->recover(failure, group, running_);
  }
  sum.finish();
  return reports;
}

/// Computes the next micro-batches at the same time; `so_far` is the sum of the gradients of
/// earlier batches. Returns the exception of the first micro-batch that failed, or null. The
/// gradient of the group's last batch is summed over the processes while it is computed, unless
/// threads compute micro-batches of it.
std::exception_ptr UpdateGradients::compute_next(const UpdateGroup& group,
                                                 const UpdatePass& pass,
                                                 const at::Tensor& so_far,
                                                 BatchReports& reports) {
  const size_t first = running_;
  const int64_t count = micro_batches_at_once(group);
  const bool overlaps = overlapped_ && count == 1 && first + 1 == group.micro_batches.size();
  if (overlaps)
    overlapped_->arm(so_far);
  const std::exception_ptr failure =
      add_reports(compute_micro_batches(group, pass, count), group, reports);
  if (running_ > first) {
    dependencies_.workers->add_gradients(static_cast<int64_t>(running_ - first));
    if (overlaps)
      overlapped_->finish();
  }
  if (overlaps && failure)
    overlapped_->abandon();
  return failure;
}

/// Number of micro-batches, from the current one on, that belong to one batch and have a thread
/// each.
int64_t UpdateGradients::micro_batches_at_once(const UpdateGroup& group) const {
  int64_t count = 0;
  for (size_t i = running_;
       i < group.micro_batches.size() && count < dependencies_.workers->count();
       ++i) {
    if (group.micro_batches[i].position != group.micro_batches[running_].position)
      break;
    ++count;
  }
  return count;
}

std::vector<MicroBatchWorkers::Outcome> UpdateGradients::compute_micro_batches(
    const UpdateGroup& group, const UpdatePass& pass, int64_t count) {
  dependencies_.recovery->begin_pass();
  return dependencies_.workers->compute(count, [&](const ModelInstance& instance, int64_t index) {
    const MicroBatch& micro_batch = group.micro_batches[running_ + static_cast<size_t>(index)];
    return training_pass(
        instance, micro_batch.batch, pass.settings, dropout_seed(micro_batch, pass.seed));
  });
}

/// Adds the reports of the micro-batches before the first failure and advances past them. Returns
/// the failure, or null.
std::exception_ptr UpdateGradients::add_reports(
    const std::vector<MicroBatchWorkers::Outcome>& outcomes,
    const UpdateGroup& group,
    BatchReports& reports) {
  auto outcome = outcomes.begin();
  int64_t tokens = 0;
  for (; outcome != outcomes.end() && !outcome->failure; ++outcome) {
    const MicroBatch& micro_batch = group.micro_batches[running_++];
    reports[micro_batch.position].add(outcome->report);
    tokens += counted_tokens(micro_batch.batch);
  }
  if (outcome != outcomes.begin())
    dependencies_.recovery->record_success(tokens);
  return outcome == outcomes.end() ? nullptr : outcome->failure;
}

}  // namespace phraseq
