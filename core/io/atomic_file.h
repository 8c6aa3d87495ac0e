#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Writes a file so that a reader sees either the old one or the complete new one, never a part of
/// it.
///
/// Steps (tests make each of them fail): create `.NAME.tmp.PID.RANDOM` in the target's folder,
/// reserve `expected_size` if known, write, fsync, close, rename, fsync the folder. `finish` does
/// fsync and close; `commit` does the same, if they have not been done, and the last two; without
/// it, the destructor removes the temporary file. Any failure removes the temporary file and throws
/// an IoError with path, step and reason, leaving the old file untouched; only if the folder cannot
/// be synced, the new file is already in place, but a crash of the machine may lose it. A signal
/// that ends the process also removes the temporary file (unfinished_files.h); what SIGKILL leaves
/// is removed by the next AtomicFile of the same path.
///
/// A character device (/dev/null), a pipe, or an open descriptor (/dev/stdout) is written directly:
/// there is no temporary file, and nothing is synced or renamed.
class PHRASEQ_API AtomicFile {
 public:
  explicit AtomicFile(std::string path, std::optional<uint64_t> expected_size = std::nullopt);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Ends writing: after this, only the rename can fail. For files that are to appear together,
  /// first finish all of them, then commit all of them.
  void finish();
  void commit();

 private:
  void open_directly(int named_descriptor);
  void create_temporary();
  void reserve(uint64_t size);
  void make_durable();
  [[noreturn]] void fail(const char* step);
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

/// Writes a small text in one call.
PHRASEQ_API void write_file(const std::string& path, std::string_view text);

/// Throws IoError if no file can be written there. For the start of a command, before its work.
PHRASEQ_API void check_target(const std::string& path);

/// The same for the place of a result, where "-" is standard output and "" asks for no file.
PHRASEQ_API void check_result_target(const std::string& path);

/// Throws UsageError if `path` is one of the files that a command reads, because it would be lost.
PHRASEQ_API void check_not_an_input(const std::string& path,
                                    const std::vector<std::string>& inputs);

/// Removes phraseq's temporary files in `folder` whose process is gone or that are older than a
/// day; returns how many.
PHRASEQ_API int remove_stale_temporaries(const std::string& folder);

}  // namespace phraseq
