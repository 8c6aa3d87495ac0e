#include "core/train/resume/same_run.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/data/options_from_data.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/options/option_text.h"

namespace phraseq {
namespace {

/// Allows the options of components of this kind to differ.
void allow_component(const OptionTable& table,
                     std::string_view kind,
                     std::vector<std::string>& allowed) {
  for (const OptionField& field : table.fields()) {
    if (field.section.starts_with(kind))
      allowed.push_back(field.name);
  }
}

std::vector<int64_t> batches_then(const TrainRecord& record) {
  return batches_per_update(record.processes,
                            record.options.value("update_freq", std::vector<int64_t>{1}));
}

std::vector<int64_t> batches_now(const ResumingRun& run) {
  return batches_per_update(run.processes, run.optimization->update_freq);
}

/// The names of options that may differ. Options that the data determines are among them: the
/// data's fingerprint is compared instead.
std::vector<std::string> allowed_names(const ResumingRun& run, const TrainRecord& record) {
  std::vector<std::string> allowed = names_from_data(*run.table, *run.task);
  if (batches_then(record) == batches_now(run))
    allowed.emplace_back("update-freq");
  for (const std::string& given : run.checkpoints->allow_changed) {
    if (const OptionField* const field = run.table->find(given))
      allowed.push_back(field->name);
  }
  if (run.checkpoints->reset_lr_scheduler) {
    allowed.insert(allowed.end(), {"lr", "lr-scheduler"});
    allow_component(*run.table, LrScheduler::kKind, allowed);
  }
  if (run.checkpoints->reset_optimizer) {
    allowed.emplace_back("optimizer");
    allow_component(*run.table, Optimizer::kKind, allowed);
  }
  return allowed;
}

/// Suggests the options that permit another schedule, another optimizer or other batches, if those
/// differ.
std::string resets_for(const std::vector<std::string>& changed, bool resets_data) {
  const auto differs = [&](std::string_view name) {
    return std::any_of(changed.begin(), changed.end(), [&](const std::string& text) {
      return text.starts_with(fmt::format("{}: ", name));
    });
  };
  std::string text;
  if (differs("lr") || differs("lr-scheduler"))
    text +=
        " --reset-lr-scheduler permits another learning rate and another schedule; updates are "
        "still counted from the start of the run.";
  if (differs("optimizer"))
    text += " --reset-optimizer permits another optimizer.";
  if (!resets_data && (differs("max-tokens") || differs("batch-size") || differs("seed")))
    text += " Other batches also need --reset-dataloader, which starts with the first epoch again.";
  return text;
}

}  // namespace

std::vector<int64_t> batches_per_update(int64_t processes, std::vector<int64_t> update_freq) {
  for (int64_t& batches : update_freq) batches *= processes;
  return update_freq;
}

void require_same_options(const ResumingRun& run,
                          const std::string& path,
                          const TrainRecord& record) {
  const auto changed = differences(*run.table, record.options, allowed_names(run, record));
  if (changed.empty())
    return;
  throw UsageError(
      fmt::format(
          "{} was trained with different options:\n  - {}", path, fmt::join(changed, "\n  - ")),
      "Use the old values, start from scratch in another --save-dir, or list the options in "
      "--allow-changed." +
          resets_for(changed, run.checkpoints->reset_dataloader));
}

void announce_processes(const ResumingRun& run, const TrainRecord& record) {
  if (record.processes == run.processes)
    return;
  const std::string change = fmt::format(
      "trained with {} before, with {} now", counted(record.processes, "process"), run.processes);
  const std::vector<int64_t> then = batches_then(record);
  const std::vector<int64_t> now = batches_now(run);
  if (run.optimization->accumulate_to_tokens > 0 || then == now) {
    log_info(change + ": updates consist of the same batches");
    return;
  }
  log_warning(
      fmt::format("{}: an update consists of {} batches instead of {} (processes times "
                  "--update-freq), at the same learning rate",
                  change,
                  fmt::join(now, ","),
                  fmt::join(then, ",")));
}

}  // namespace phraseq
