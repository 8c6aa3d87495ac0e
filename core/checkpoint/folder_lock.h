#pragma once

#include <filesystem>
#include <string>

#include "core/base/api.h"
#include "core/io/descriptor.h"
#include "core/io/folders/staging_folder.h"

namespace phraseq {

/// The exclusive lock of one process on a folder, for as long as this object lives. The file
/// `.lock` names the process.
///
/// A folder that does not exist is created. A folder in which nothing was written is left as it was
/// found: the lock file is removed, and so is the folder if it was created here.
class PHRASEQ_API FolderLock {
 public:
  /// Throws a UsageError that names the other process if the folder is locked.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  /// Locks again if the folder or its lock file was replaced. Throws as the constructor does if
  /// another process has locked it since.
  void renew();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  void take();
  void open_file();
  void lock_file();
  bool is_at_its_name() const;
  bool is_folder_unused() const;

  std::filesystem::path folder_, file_;
  Descriptor descriptor_;  ///< which gives the lock back when it closes
  NewFolders folders_;     ///< after the descriptor, so that they are removed under the lock
};

}  // namespace phraseq
