#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/checkpoint_name.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/train_state.h"
#include "core/train/training_log.h"
#include "core/train/training_progress.h"

namespace phraseq {

/// Steps that all processes take together when the first one saves, because each has a part of the
/// state. With empty functions, the first process saves alone.
struct SavingTogether {
  std::function<void()> collect;  ///< called before the first process writes
  /// Called afterwards; returns true in all processes if the first one has saved.
  std::function<bool(bool saved)> settle;
};

/// Everything a CheckpointKeeper uses; all of it must outlive the object.
struct KeeperDependencies {
  CheckpointFolder* folder = nullptr;  ///< null (--no-save, not the first process): writes nothing
  TrainState* state = nullptr;
  TrainingLog* log = nullptr;
};

/// Decides when a checkpoint is written, writes it, moves the pointers checkpoint_last and
/// checkpoint_best, and deletes old checkpoints by the retention rules.
class PHRASEQ_API CheckpointKeeper {
 public:
  /// Writes a checkpoint and records in it whether it `stays` or was written only for a pointer.
  using Write = std::function<void(const std::string& path, bool stays)>;

  /// The metric that chooses the best checkpoint.
  struct Choice {
    std::string metric = "loss";
    bool larger_is_better = false;
    /// Whether scores of a run with these options can be compared with this run's. Empty = always.
    std::function<bool(const nlohmann::json& options)> is_comparable = {};
  };

  CheckpointKeeper(const KeeperDependencies& dependencies,
                   CheckpointOptions options,
                   Choice choice,
                   Write write,
                   SavingTogether together = {});

  /// Records an update that no checkpoint contains yet.
  void note_update() { unsaved_ = true; }
  /// Call when a validation begins; until it ends, no checkpoint counts as the best.
  void forget_validation() { is_best_ = false; }
  /// `is_best`: whether the result is the best of all validations. If the best model could not be
  /// saved, the best of the later ones is saved instead.
  void note_validation(bool is_best) { is_best_ = is_best || replaces_saved_best(); }

  /// Saves every --save-interval-updates, when a validation had the best result, and when
  /// `requested`. A skipped update, which changed nothing, is not a reason to save. The best
  /// checkpoint at the end of an epoch is saved by after_epoch, or by at_end if the run is stopped.
  void after_update(const TrainingProgress& progress, bool requested);
  /// Whether after_epoch saves even if the validation did not have the best result.
  bool saves_after_epoch(int64_t finished_epochs) const {
    return is_due_after_epoch(finished_epochs) &&
           !(options_.no_epoch_checkpoints && options_.no_last_checkpoints);
  }
  /// Saves every --save-interval epochs and when the validation had the best result.
  void after_epoch(const TrainingProgress& progress);
  /// Saves updates that no checkpoint contains yet, unless --no-last-checkpoints is given; also
  /// saves if the validation at the end had the best result.
  void at_end(const TrainingProgress& progress);

 private:
  using PathOf = std::function<std::string(const CheckpointFolder& folder)>;
  bool is_due_after_epoch(int64_t finished_epochs) const {
    return finished_epochs % options_.save_interval == 0;
  }
  bool takes_part() const { return dependencies_.folder != nullptr || together_.collect; }
  bool replaces_saved_best() const;
  bool may_have_diverged(int64_t updates) const;
  void save(const PathOf& path_of, int64_t updates, bool stays);
  bool try_to_save(const std::string& path, int64_t updates, bool stays);
  bool tries(const char* failed, int64_t updates, const std::function<void()>& step);
  void write_and_point(const std::string& path, int64_t updates, bool stays);
  void delete_others(const std::string& path, int64_t updates);
  bool spares(const std::string& path);

  /// Where a checkpoint of the folder comes from.
  struct Origin {
    int64_t updates = 0;
    bool is_temporary = false;
    bool is_kept_by_options = false;  // by those of the earlier run that wrote it
    bool is_comparable = true;        // its score can be compared with this run's
  };
  Origin read_origin(const std::string& path, CheckpointKind kind) const;
  const Origin& origin(const CheckpointName& name);

  KeeperDependencies dependencies_;
  CheckpointOptions options_;
  Choice choice_;
  Write write_;
  SavingTogether together_;
  bool is_best_ = false;                   // the last validation had the best result so far
  bool unsaved_ = false;                   // there are updates since the last checkpoint
  std::map<std::string, Origin> origins_;  // by file name
};

}  // namespace phraseq
