#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/io/atomic_file.h"
#include "core/io/folders/staging_folder.h"

namespace phraseq {

/// The destination of results: standard output ("-"), or a file that appears when it is complete.
/// Its folder is created if it is missing, as fairseq does for --results-path.
class PHRASEQ_API ResultOutput {
 public:
  explicit ResultOutput(const std::string& path);
  void write(std::string_view text);
  /// Flushes what was written; returns false if nobody reads the output any longer.
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
