#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Creates a folder and its parents as far as they are missing. Throws IoError, also if a file of
/// this name exists.
PHRASEQ_API void make_folders(const std::string& path);

/// A folder and its parents, created as far as they are missing; those that were created are
/// removed at the end if nothing is in them.
class PHRASEQ_API NewFolders {
 public:
  /// Throws IoError, also if a file of this name exists.
  explicit NewFolders(const std::string& path);
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< the innermost first
};

/// Throws UsageError with `hint` if there is anything at `path`, which would be replaced.
PHRASEQ_API void reject_existing(const std::string& path, const std::string& hint);

/// A folder under construction: it is created under a temporary name next to its destination, or
/// within the destination if that already exists, and moved into place when it is complete or
/// otherwise removed. What a killed process left is removed by the next one with the same
/// destination.
class PHRASEQ_API StagingFolder {
 public:
  /// Throws IoError if nothing can be written there.
  explicit StagingFolder(std::string destination);
  ~StagingFolder();
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;

  const std::string& path() const { return path_; }

  /// Throws UsageError with `hint` if a file of this folder would replace one of the destination.
  void reject_replacement(const std::string& hint) const;

  /// Renames the folder if the destination is missing. Otherwise, the files are moved one by one,
  /// `last` after all others: the file that marks the folder as complete. The caller makes sure
  /// that an old one does not exist in the meantime.
  void commit(const std::string& last);

 private:
  bool take_name();
  void move_files(const std::string& last);
  void move_file(const std::string& name);

  std::string destination_;
  std::string path_;
  int lock_ = -1;  ///< tells other processes that this one writes the folder
};

}  // namespace phraseq
