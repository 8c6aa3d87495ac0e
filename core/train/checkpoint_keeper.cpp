#include "core/train/checkpoint_keeper.h"

#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_name.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {
namespace {

/// Whether a checkpoint is written with these options only because it is the last or the best one,
/// or was asked for by a signal.
bool passes(const CheckpointName& name, const CheckpointOptions& options) {
  if (name.kind == CheckpointKind::kEpoch)
    return options.no_epoch_checkpoints || name.epoch % options.save_interval != 0;
  return options.save_interval_updates == 0 || name.update % options.save_interval_updates != 0;
}

/// Whether the run that wrote a checkpoint was asked to keep it. One that cannot be read stays,
/// too.
bool was_written_to_stay(const std::string& path, const CheckpointName& name) {
  try {
    const TrainRecord record =
        read_train_record(CheckpointFile::open(path, /*verify_tensors=*/false));
    CheckpointOptions options;
    options.save_interval = record.options.value("save_interval", options.save_interval);
    options.save_interval_updates = record.options.value("save_interval_updates", int64_t{0});
    options.no_epoch_checkpoints = record.options.value("no_epoch_checkpoints", false);
    return !passes(name, options);
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(CheckpointFolder* folder,
                                   CheckpointOptions options,
                                   Choice choice,
                                   const LastValidation& last_validation,
                                   TrainingLog& log,
                                   Write write,
                                   SavingTogether together)
    : folder_(folder),
      options_(std::move(options)),
      choice_(std::move(choice)),
      last_validation_(last_validation),
      log_(log),
      write_(std::move(write)),
      together_(std::move(together)) {}

void CheckpointKeeper::after_update(const TrainingMoment& moment, bool requested) {
  const int64_t every = options_.save_interval_updates;
  const bool due = unsaved_ && every > 0 && moment.updates % every == 0;
  if (due || is_best_ || requested)
    save([&](const auto& folder) { return folder.update_path(moment.epoch, moment.updates); },
         moment.updates,
         due || requested);
}

void CheckpointKeeper::after_epoch(const TrainingMoment& moment) {
  const bool due = moment.finished_epochs % options_.save_interval == 0;
  if (due || is_best_)
    save([&](const auto& folder) { return folder.epoch_path(moment.finished_epochs); },
         moment.updates,
         due && !options_.no_epoch_checkpoints);
}

void CheckpointKeeper::at_end(const TrainingMoment& moment) {
  if (unsaved_ || is_best_)
    save([&](const auto& folder) { return folder.update_path(moment.epoch, moment.updates); },
         moment.updates,
         /*stays=*/false);
}

/// All processes that take part come here at the same moments: what decides is equal in all.
/// `stays`: whether there is a reason for the checkpoint besides being the last or the best one.
void CheckpointKeeper::save(const PathOf& path_of, int64_t updates, bool stays) {
  if (!takes_part() || (options_.no_last_checkpoints && !is_best_ && !stays))
    return;
  if (together_.collect)
    together_.collect();
  bool saved = folder_ != nullptr && try_to_save(path_of(*folder_), updates);
  if (together_.settle)
    saved = together_.settle(saved);
  is_best_ = false;  // also when it was not saved: the next update is another model
  unsaved_ = unsaved_ && !saved;
}

/// False when the run goes on without this checkpoint.
bool CheckpointKeeper::try_to_save(const std::string& path, int64_t updates) {
  const bool is_written = tries("checkpoint not written", updates, [&] { write_and_point(path); });
  if (is_written)
    tries("checkpoint written, but others not kept or deleted", updates, [&] {
      keep_and_delete(path, updates);
    });
  return is_written;
}

/// False when a step of saving failed and the run goes on (--save-failure warn).
bool CheckpointKeeper::tries(const char* failed,
                             int64_t updates,
                             const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const IoError& failure) {
    if (options_.save_failure == SaveFailure::kStop)
      throw;
    log_error(
        fmt::format("{}, training continues (--save-failure warn): {}", failed, failure.what()));
    log_.event("save_failure", {{"updates", updates}, {"what", failure.message()}});
    return false;
  }
}

void CheckpointKeeper::write_and_point(const std::string& path) {
  write_(path);
  if (!options_.no_last_checkpoints)
    folder_->point(kLastPointer, path);
  if (is_best_)
    folder_->point(kBestPointer, path);
}

void CheckpointKeeper::keep_and_delete(const std::string& path, int64_t updates) {
  const auto& [validated_at, value] = last_validation_;
  if (options_.keep_best_checkpoints > 0 && validated_at == updates && std::isfinite(value))
    folder_->keep_as_best(path, choice_.metric, value);
  RetentionRules rules;
  rules.keep_interval_updates = options_.keep_interval_updates;
  rules.keep_last_epochs = options_.keep_last_epochs;
  rules.keep_best_checkpoints = options_.keep_best_checkpoints;
  rules.best_metric = choice_.metric;
  rules.passes = [this](const CheckpointName& name) { return passes(name, options_); };
  rules.spares = [this](const std::string& old) { return spares(old); };
  folder_->retain(rules, choice_.larger_is_better, path);
}

/// Whether a checkpoint stays that only an option of this run, but not of the one that wrote it,
/// makes a passing one.
bool CheckpointKeeper::spares(const std::string& path) {
  const auto name = parse_checkpoint_name(std::filesystem::path(path).filename().string());
  if (!name || name->kind == CheckpointKind::kBest || !passes(*name, options_))
    return false;
  if (!spared_.contains(path) && was_written_to_stay(path, *name))
    spared_.insert(path);
  return spared_.contains(path);
}

}  // namespace phraseq
