#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/io/atomic_file.h"

namespace phraseq {

/// Folders that are created where they are missing, and removed again if they are empty at the end.
class PHRASEQ_API NewFolders {
 public:
  /// Throws IoError.
  explicit NewFolders(const std::filesystem::path& folder);
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< the innermost first
};

/// The destination of results: standard output ("-"), or a file that appears when it is complete.
/// Its folder is created if it is missing, as fairseq does for --results-path.
class PHRASEQ_API ResultOutput {
 public:
  explicit ResultOutput(const std::string& path);
  void write(std::string_view text);
  /// Hands what was written to the reader; false if nobody is reading any longer.
  bool flush();
  void commit();
  /// CRC-32C of everything written so far.
  uint32_t checksum() const { return checksum_; }

 private:
  std::optional<NewFolders> folders_;
  std::optional<AtomicFile> file_;
  uint32_t checksum_ = 0;
};

}  // namespace phraseq
