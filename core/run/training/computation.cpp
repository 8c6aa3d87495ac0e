#include "core/run/training/computation.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/nn/precision/automatic_precision.h"
#include "core/options/enum_name.h"
#include "core/train/micro_batches/micro_batch_workers.h"

namespace phraseq {
namespace {

/// The precision; if the user left the choice open, with the reason.
nn::PrecisionChoice precision_choice(const TrainRun& run) {
  const MachineOptions& machine = run.machine;
  if (machine.bf16 || machine.precision == nn::TrainingPrecision::kBf16)
    return {nn::Precision::kBf16, ""};
  if (machine.fp16 || machine.precision == nn::TrainingPrecision::kFp16)
    return {nn::Precision::kFp16, ""};
  if (machine.precision == nn::TrainingPrecision::kAuto)
    return nn::automatic_precision(run.device.chosen());
  return {nn::Precision::kFp32, ""};
}

}  // namespace

nn::Precision precision_of(const TrainRun& run) { return precision_choice(run).precision; }

std::string precision_text(const TrainRun& run) {
  const nn::PrecisionChoice choice = precision_choice(run);
  const std::string name(enum_name(nn::kPrecisionNames, choice.precision));
  return choice.reason.empty() ? name : fmt::format("{} ({})", name, choice.reason);
}

WorkerSettings thread_settings(const TrainRun& run, int64_t max_tokens) {
  const int64_t threads = at::get_num_threads();
  if (run.machine.batch_shares > 0)
    return {run.machine.batch_shares, std::max<int64_t>(1, threads / run.machine.batch_shares)};
  if (!run.device.chosen().is_cpu())
    return {1, threads};
  return workers_for_batch(threads, max_tokens);
}

WorkerSettings thread_settings(const TrainRun& run) {
  return thread_settings(run, run.optimization.batches.max_tokens);
}

}  // namespace phraseq
