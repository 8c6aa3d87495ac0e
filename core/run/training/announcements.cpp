#include "core/run/training/announcements.h"

#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/run/training/computation.h"

namespace phraseq {

void announce_preset_values(TrainRun& run, const TrainingDefaults& defaults) {
  std::vector<std::string> used;
  const auto add = [&](const std::string& name) {
    const OptionField* const field = run.table.find(name);
    if (field != nullptr && field->origin == OptionOrigin::kPreset)
      used.push_back(fmt::format("--{} {}", name, field->to_text()));
  };
  for (const char* component : {"criterion", "optimizer", "lr-scheduler"}) add(component);
  for (const auto& [name, value] : defaults.options) add(name);
  for (const char* decided : {"warmup-updates", "share-all-embeddings"}) add(decided);
  if (!used.empty())
    log_info(fmt::format("settings of {}: {}", run.components.arch, fmt::join(used, " ")));
}

void announce(const TrainRun& run,
              const TranslationModel& translation_model,
              const BatchIterator& batches,
              const ProcessGroup& processes) {
  const WorkerSettings threads = thread_settings(run);
  const std::string shares =
      threads.workers > 1 ? fmt::format("in {} shares of each batch, ", threads.workers) : "";
  log_info(fmt::format("{}: {} parameters on {}, {}, {}{}",
                       run.components.arch,
                       parameter_count(*translation_model.parameters),
                       translation_model.parameters->values().device().str(),
                       counted(at::get_num_threads(), "thread"),
                       shares,
                       precision_text(run)));
  if (precision_of(run) == nn::Precision::kFp16 &&
      translation_model.parameters->values().is_cpu()) {
    log_warning(
        "--fp16 on a CPU is slow; --precision auto chooses the fastest precision of the device");
  }
  log_info(counted(batches.batches_in_epoch(), "batch") + " per epoch");
  if (!processes.is_alone()) {
    log_info(fmt::format("{} processes: an update consists of {} times --update-freq batches",
                         processes.size(),
                         processes.size()));
  }
}

}  // namespace phraseq
