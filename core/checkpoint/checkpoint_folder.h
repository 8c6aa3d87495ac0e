#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_name.h"
#include "core/checkpoint/folder_lock.h"

namespace phraseq {

/// The pointers that training keeps; `CheckpointFolder::point` accepts other names, too.
inline constexpr const char* kLastPointer = "checkpoint_last";
inline constexpr const char* kBestPointer = "checkpoint_best";

/// How many checkpoints of each kind are kept, not counting temporary ones; -1 = all.
struct RetentionRules {
  int64_t keep_interval_updates = -1;  ///< checkpoint_EPOCH_UPDATE.safetensors
  int64_t keep_last_epochs = -1;       ///< checkpointEPOCH.safetensors
  int64_t keep_best_checkpoints = -1;  ///< checkpoint.best_METRIC_VALUE.safetensors
  std::string best_metric = {};        ///< of the best ones that are counted; all others stay
  /// Whether the value in the name of one of the best can be compared with new ones; otherwise, it
  /// stays, too. Empty = always.
  std::function<bool(const CheckpointName& name)> is_comparable = {};
  /// Kept only as long as a pointer refers to it.
  std::function<bool(const CheckpointName& name)> is_temporary = {};
  /// The number of updates before it was written, by which checkpoints are ordered; if empty, they
  /// are ordered by name, which is wrong after a run has started to count its epochs again.
  std::function<int64_t(const CheckpointName& name)> updates_of = {};
  std::function<bool(const std::string& path)> spares = {};  ///< kept regardless of the rules
};

/// The file that a pointer in an existing folder leads to, fully verified. A bad pointer or target
/// is reported with log_warning, and the file with the most updates that passes verification is
/// used instead; with `strict`, it is a FormatError. It is also a FormatError if there are
/// checkpoints but none passes. Null if there is nothing to continue from: no such pointer and, for
/// `checkpoint_last`, no checkpoint either.
PHRASEQ_API std::optional<std::string> resolve_in_folder(const std::string& folder,
                                                         const std::string& pointer,
                                                         bool strict);

/// A folder of checkpoints: the names it owns, the pointers to the last and the best, and the rules
/// for deletion. While it exists, the folder is locked against a second training run (FolderLock).
class PHRASEQ_API CheckpointFolder {
 public:
  /// Makes the folder and removes stale temporary files of phraseq. Throws IoError if a pointer
  /// cannot be written because a folder has its name.
  explicit CheckpointFolder(std::string folder);

  /// FolderLock::renew.
  void renew_lock() { lock_.renew(); }

  std::string epoch_path(int64_t epoch) const;
  std::string update_path(int64_t epoch, int64_t update) const;
  std::string best_path(const std::string& metric, double value) const;  ///< `value` finite

  /// `checkpoint_last` and `checkpoint_best`: small text files "NAME CRC\n", written atomically
  /// after the target; never copies. Reads the target's header again first.
  void point(const std::string& pointer, const std::string& checkpoint_path);

  /// Also keeps a checkpoint that was written as one of the best: as a hard link (or a copy, if the
  /// file system has no links). An equally good one, of which there can be only one, is replaced
  /// atomically. Returns `best_path(metric, value)`.
  std::string keep_as_best(const std::string& checkpoint_path,
                           const std::string& metric,
                           double value);

  /// Deletes by the rules after `newest` was written and its header verified; never what a pointer
  /// points at, and nothing while a pointer is damaged. Returns what was deleted.
  /// `larger_is_better`: a larger metric is better.
  std::vector<std::string> retain(const RetentionRules& rules,
                                  bool larger_is_better,
                                  const std::string& newest);

  const std::string& path() const { return folder_; }

 private:
  std::string path_of(const std::string& name) const;

  std::string folder_;
  FolderLock lock_;
};

/// The checkpoint that a user's path means: the file itself, the target of a pointer file
/// (`…/checkpoint_best`), or a folder's `checkpoint_best` (otherwise `checkpoint_last`). A
/// pointer's target must be the file that was pointed at (its header is read); the caller verifies
/// the rest by opening it. fairseq's name with .pt finds what has the name without it. Nothing if
/// there is no such file. Throws UsageError for a folder without pointers.
PHRASEQ_API std::optional<std::string> find_checkpoint(const std::string& path);
/// The same; throws IoError if there is no such file.
PHRASEQ_API std::string resolve_checkpoint(const std::string& path);

}  // namespace phraseq
