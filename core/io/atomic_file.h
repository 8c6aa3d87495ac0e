#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Writes a file so that a reader sees the old one or the whole new one, never a part.
///
/// Steps (reliability: each is tested failing): create `.NAME.tmp.PID.RANDOM` in the target's
/// folder, reserve `expected_size` when known, write, fsync, close, rename, fsync the folder.
/// `finish` does fsync and close, `commit` these, if they have not been done, and the last two;
/// without it the destructor removes the temporary file. Any failure
/// removes the temporary file and throws IoError with path, step and reason; the old file was not
/// touched. A signal that ends the process removes the temporary file too (unfinished_files.h);
/// what SIGKILL leaves is removed by the next AtomicFile of the same path.
///
/// A character device (/dev/null) or a pipe is opened and written directly: there is no temporary
/// file, and nothing is synced or renamed.
class PHRASEQ_API AtomicFile {
 public:
  explicit AtomicFile(std::string path, std::optional<uint64_t> expected_size = std::nullopt);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Ends writing: after this, only the rename can fail. For files that are to appear together:
  /// first all are finished, then all are committed.
  void finish();
  void commit();

 private:
  void open_directly();
  void create_temporary();
  void reserve(uint64_t size);
  void make_durable();
  void fail(const char* step);
  void remove_temporary();
  void flush();
  void write_through(const std::byte* data, size_t size);

  std::string path_;
  bool is_direct_ = false;
  std::string temporary_;
  std::string buffer_;
  int descriptor_ = -1;
  uint64_t written_ = 0;
};

/// The whole of a small text in one call.
PHRASEQ_API void write_file(const std::string& path, std::string_view text);

/// Throws IoError when no file can be written there: for the start of a command, before its work.
PHRASEQ_API void check_target(const std::string& path);

/// Throws UsageError when `path` is one of the files that a command reads: it would be lost.
PHRASEQ_API void check_not_an_input(const std::string& path,
                                    const std::vector<std::string>& inputs);

/// Removes temporary files of ours in `folder` whose process is gone or that are older than a day;
/// returns how many.
PHRASEQ_API int remove_stale_temporaries(const std::string& folder);

}  // namespace phraseq
