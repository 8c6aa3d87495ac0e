#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A new folder of this process in the folder for temporary files, removed with its contents.
class PHRASEQ_API ScratchFolder {
 public:
  /// Its name is phraseq-PURPOSE-XXXXXX, with random characters. Throws IoError if it cannot be
  /// created; the error names TMPDIR if that is not a folder.
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
