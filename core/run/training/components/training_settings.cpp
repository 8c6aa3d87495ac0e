#include "core/run/training/components/training_settings.h"

#include <algorithm>

#include "core/run/training/computation.h"
#include "core/run/training/validation/validation_parts.h"
#include "core/train/validation/best_score.h"

namespace phraseq {
namespace {

/// Bytes of a bucket of gradients; 0 with --no-overlap.
int64_t bucket_bytes(const DistributedOptions& options) {
  constexpr double kMegabyte = 1024 * 1024;
  return options.overlap
             ? std::max(int64_t{1}, static_cast<int64_t>(options.bucket_cap_mb * kMegabyte))
             : 0;
}

}  // namespace

BatchingOptions training_batches(const TrainRun& run, const Architecture& model) {
  BatchingOptions batching;
  batching.max_tokens = run.optimization.batches.max_tokens;
  batching.max_sentences = run.optimization.batches.batch_size;
  batching.max_source_positions = model.max_source_positions();
  batching.max_target_positions = model.max_target_positions();
  batching.seed = static_cast<uint64_t>(run.machine.seed);
  return batching;
}

MachineOptions logging_of(const TrainRun& run, const ProcessGroup& processes) {
  MachineOptions machine = run.machine;
  if (!processes.is_first()) {
    machine.quiet = true;
    machine.tensorboard_logdir.clear();
  }
  return machine;
}

int64_t reserved_bytes(const TrainRun& run,
                       const TranslationModel& translation_model,
                       const ProcessGroup& processes) {
  const auto bytes = static_cast<int64_t>(translation_model.parameters->values().nbytes());
  const auto& update_freq = run.optimization.update_freq;
  const bool sums = run.optimization.accumulate_to_tokens > 0 || !processes.is_alone() ||
                    *std::max_element(update_freq.begin(), update_freq.end()) > 1;
  return (sums ? bytes : 0) + (run.average.enabled() ? bytes : 0);
}

TrainerOptions trainer_options(const TrainRun& run) {
  const Wire wire = run.distributed.comm_hook == CommHook::kBf16 ? Wire::kBf16 : Wire::kSame;
  return {.optimization = run.optimization,
          .validation = run.validation,
          .checkpoints = run.checkpoints,
          .precision = precision_of(run),
          .seed = static_cast<uint64_t>(run.machine.seed),
          .sums = {wire, bucket_bytes(run.distributed)},
          .loss_scale = run.machine.loss_scale,
          .checkpoint_activations = run.machine.checkpoint_activations,
          .table = &run.table};
}

LrSchedulerSetup scheduler_setup(const TrainRun& run,
                                 const TranslationModel& translation_model,
                                 const Validator* validator) {
  return {run.optimization.lr.front(),
          translation_model.model->model_width(),
          run.optimization.max_update,
          run.optimization.lr,
          larger_is_better(run.validation, validator)};
}

}  // namespace phraseq
