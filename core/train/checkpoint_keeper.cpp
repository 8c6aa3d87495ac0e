#include "core/train/checkpoint_keeper.h"

#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {
namespace {

/// True if a checkpoint is kept by the options of the run that wrote it.
bool is_kept_by_options(const TrainRecord& record, CheckpointKind kind) {
  if (kind == CheckpointKind::kEpoch)
    return !record.options.value("no_epoch_checkpoints", false);
  const auto every = record.options.value("save_interval_updates", int64_t{0});
  return every > 0 && record.state.updates % every == 0;
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(const KeeperDependencies& dependencies,
                                   CheckpointOptions options,
                                   Choice choice,
                                   Write write,
                                   SavingTogether together)
    : dependencies_(dependencies),
      options_(std::move(options)),
      choice_(std::move(choice)),
      write_(std::move(write)),
      together_(std::move(together)) {}

void CheckpointKeeper::after_update(const TrainingProgress& progress, bool requested) {
  const int64_t every = options_.save_interval_updates;
  const bool due = unsaved_ && every > 0 && progress.updates % every == 0;
  const bool saves_best = is_best_ && !progress.is_at_end_of_epoch();
  if (due || saves_best || requested)
    save([&](const auto& folder) { return folder.update_path(progress.epoch, progress.updates); },
         progress.updates,
         due || requested);
}

void CheckpointKeeper::after_epoch(const TrainingProgress& progress) {
  const bool due = is_due_after_epoch(progress.finished_epochs);
  if (due || is_best_)
    save([&](const auto& folder) { return folder.epoch_path(progress.finished_epochs); },
         progress.updates,
         due && !options_.no_epoch_checkpoints);
}

void CheckpointKeeper::at_end(const TrainingProgress& progress) {
  if (unsaved_ || is_best_)
    save([&](const auto& folder) { return folder.update_path(progress.epoch, progress.updates); },
         progress.updates,
         /*stays=*/false);
}

bool CheckpointKeeper::replaces_saved_best() const {
  const std::optional<double>& saved = dependencies_.state->saved_best;
  const double value = dependencies_.state->last_validation.value;
  if (saved == dependencies_.state->best || !std::isfinite(value))
    return false;
  return !saved || (choice_.larger_is_better ? value >= *saved : value <= *saved);
}

/// A step with a finite gradient can destroy a model, so that all later updates are skipped. A
/// single skipped update may be due to its sentences, and a model whose last validation had a
/// finite result is not destroyed.
bool CheckpointKeeper::may_have_diverged(int64_t updates) const {
  const auto& [validated_at, value] = dependencies_.state->last_validation;
  return validated_at == updates ? !std::isfinite(value)
                                 : dependencies_.state->bad_updates_in_a_row > 1;
}

/// All processes that take part call this at the same time, because what they decide by is equal in
/// all of them. `stays`: whether there is a reason for the checkpoint besides being the last or the
/// best one.
void CheckpointKeeper::save(const PathOf& path_of, int64_t updates, bool stays) {
  if (!takes_part() || (options_.no_last_checkpoints && !is_best_ && !stays))
    return;
  if (may_have_diverged(updates)) {
    log_warning(
        "checkpoint not written: the model may have diverged, because its last losses or gradients "
        "are not finite");
    return;
  }
  if (together_.collect)
    together_.collect();
  const std::optional<double> saved_best = dependencies_.state->saved_best;
  if (is_best_)
    dependencies_.state->saved_best = dependencies_.state->last_validation.value;
  bool saved = dependencies_.folder != nullptr &&
               try_to_save(path_of(*dependencies_.folder), updates, stays);
  if (together_.settle)
    saved = together_.settle(saved);
  if (!saved)
    dependencies_.state->saved_best = saved_best;
  is_best_ = false;  // even if it was not saved: the next update changes the model
  unsaved_ = unsaved_ && !saved;
}

/// Returns false if the run continues without this checkpoint.
bool CheckpointKeeper::try_to_save(const std::string& path, int64_t updates, bool stays) {
  const bool is_written =
      tries("checkpoint not written", updates, [&] { write_and_point(path, updates, stays); });
  if (is_written) {
    origins_[std::filesystem::path(path).filename().string()] = {updates, !stays};
    tries("checkpoint written, but others not deleted", updates, [&] {
      delete_others(path, updates);
    });
  }
  return is_written;
}

/// Runs a step of saving; returns false if it failed and the run continues (--save-failure warn).
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
    dependencies_.log->event("save_failure", {{"updates", updates}, {"what", failure.message()}});
    return false;
  }
}

void CheckpointKeeper::write_and_point(const std::string& path, int64_t updates, bool stays) {
  dependencies_.folder->renew_lock();
  write_(path, stays);
  // checkpoint_last comes last: if the run is killed before it is set, it resumes from the previous
  // checkpoint and finds the best one again.
  const auto& [validated_at, value] = dependencies_.state->last_validation;
  if (options_.keep_best_checkpoints > 0 && validated_at == updates) {
    tries("checkpoint written, but not kept among the best", updates, [&, score = value] {
      dependencies_.folder->keep_as_best(path, choice_.metric, score);
    });
  }
  if (is_best_)
    dependencies_.folder->point(kBestPointer, path);
  if (!options_.no_last_checkpoints)
    dependencies_.folder->point(kLastPointer, path);
}

void CheckpointKeeper::delete_others(const std::string& path, int64_t updates) {
  RetentionRules rules;
  rules.keep_interval_updates =
      options_.save_interval_updates > 0 ? options_.keep_interval_updates : 0;
  rules.keep_last_epochs = options_.no_epoch_checkpoints ? 0 : options_.keep_last_epochs;
  rules.keep_best_checkpoints = options_.keep_best_checkpoints;
  rules.best_metric = choice_.metric;
  rules.is_comparable = [this](const CheckpointName& name) { return origin(name).is_comparable; };
  rules.is_temporary = [this](const CheckpointName& name) { return origin(name).is_temporary; };
  rules.updates_of = [this, updates](const CheckpointName& name) {
    const int64_t its_own = origin(name).updates;
    return its_own <= updates ? its_own : -1;  // older than a --reset-optimizer: the oldest
  };
  rules.spares = [this](const std::string& old) { return spares(old); };
  dependencies_.folder->retain(rules, choice_.larger_is_better, path);
}

/// Reads where a checkpoint comes from. One that cannot be read counts as the oldest, and stays.
CheckpointKeeper::Origin CheckpointKeeper::read_origin(const std::string& path,
                                                       CheckpointKind kind) const {
  try {
    const TrainRecord record =
        read_train_record(CheckpointFile::open(path, /*verify_tensors=*/false));
    return {record.state.updates,
            record.is_temporary,
            is_kept_by_options(record, kind),
            !choice_.is_comparable || choice_.is_comparable(record.options)};
  } catch (const std::exception&) {
    return {0, false, true};
  }
}

const CheckpointKeeper::Origin& CheckpointKeeper::origin(const CheckpointName& name) {
  const auto [known, is_new] = origins_.try_emplace(name.file_name());
  if (is_new) {
    known->second = read_origin(
        (std::filesystem::path(dependencies_.folder->path()) / name.file_name()).string(),
        name.kind);
  }
  return known->second;
}

/// True for a checkpoint that this run would write only for a pointer, but that is kept because of
/// the options of the run that wrote it.
bool CheckpointKeeper::spares(const std::string& path) {
  const auto name = parse_checkpoint_name(std::filesystem::path(path).filename().string());
  const bool is_temporary_here =
      name && ((name->kind == CheckpointKind::kUpdate && options_.save_interval_updates == 0) ||
               (name->kind == CheckpointKind::kEpoch && options_.no_epoch_checkpoints));
  return is_temporary_here && origin(*name).is_kept_by_options;
}

}  // namespace phraseq
