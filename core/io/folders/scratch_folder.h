#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// TMPDIR, or /tmp if it is empty or not set, as mktemp does; the folder need not exist.
PHRASEQ_API std::string folder_for_temporary_files();

/// A new folder of this process in the folder for temporary files, removed with its contents.
class PHRASEQ_API ScratchFolder {
 public:
  /// Its name is phraseq-PURPOSE-XXXXXX, with random characters. Throws IoError if it cannot be
  /// created; the error names the folder for temporary files, and TMPDIR.
  explicit ScratchFolder(std::string_view purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace phraseq
