#pragma once

#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Makes a folder and those above it, as far as they are missing. Throws IoError, also where a file
/// of this name exists.
PHRASEQ_API void make_folders(const std::string& path);

/// A folder under construction: made under a temporary name next to its destination, or within it
/// where it is there already, moved into place when it is whole, removed when it never is. What a
/// killed process left is removed by the next one with the same destination.
class PHRASEQ_API StagingFolder {
 public:
  /// Throws IoError when nothing can be written there.
  explicit StagingFolder(std::string destination);
  ~StagingFolder();
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;

  const std::string& path() const { return path_; }

  /// One rename where the destination is missing. Otherwise the files move one by one,
  /// `last` after all others: the file that marks the folder as complete. The caller
  /// makes sure that an old one does not exist meanwhile.
  void commit(const std::string& last);

 private:
  void move_files(const std::string& last);
  void move_file(const std::string& name);

  std::string destination_;
  std::string path_;
  int lock_ = -1;  ///< says to other processes that this one writes the folder
};

}  // namespace phraseq
