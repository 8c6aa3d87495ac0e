#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// How many checkpoints of each kind stay; -1 = all.
struct RetentionRules {
  int64_t keep_interval_updates = -1;  ///< checkpoint_EPOCH_UPDATE.safetensors
  int64_t keep_last_epochs = -1;       ///< checkpointEPOCH.safetensors
  int64_t keep_best_checkpoints = -1;  ///< checkpoint.best_METRIC_VALUE.safetensors
};

/// A folder of checkpoints: the names it owns, the pointers to the last and the best, the rules for
/// deleting. Holds an exclusive lock for its life (`.lock`): two trainings in one folder is a UsageError that
/// names the other's process.
class PHRASEQ_API CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string folder);  ///< makes the folder; removes our stale temporaries
  ~CheckpointFolder();

  std::string epoch_path(int64_t epoch) const;
  std::string update_path(int64_t epoch, int64_t update) const;
  std::string best_path(const std::string& metric, double value) const;
  std::string last_path() const;  ///< file used when neither interval applies: checkpoint_last_UPDATE is pointed at

  /// `checkpoint_last` and `checkpoint_best`: small text files "NAME CRC\n", written atomically after
  /// the target; never copies.
  void point(const std::string& pointer, const std::string& checkpoint_path);
  /// The file a pointer leads to, when it exists and verifies. A bad target is reported with
  /// log_warning and the newest file that verifies is taken instead; `strict` makes it a FormatError.
  std::optional<std::string> resolve(const std::string& pointer, bool strict) const;

  /// Deletes by the rules after `newest` was written and its header verified; never what a pointer
  /// points at. Returns what was deleted. `maximise`: larger metric is better.
  std::vector<std::string> retain(const RetentionRules& rules, bool maximise, const std::string& newest);

  const std::string& path() const { return folder_; }

 private:
  std::string folder_;
  int lock_descriptor_ = -1;
};

/// The checkpoint that a user's path means: the file itself, the target of a pointer file
/// (`…/checkpoint_best`), or a folder's `checkpoint_best` (else `checkpoint_last`).
PHRASEQ_API std::string resolve_checkpoint(const std::string& path);

}  // namespace phraseq
