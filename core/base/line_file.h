#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A log that is appended to, line by line, and survives a full disk: a line is written completely
/// or not at all; lines that cannot be written wait in memory (up to 1 MiB, then the oldest are
/// dropped) and are written as soon as there is space. Thread-safe.
class PHRASEQ_API LineFile {
 public:
  enum class TornLine { kEnd, kRemove };

  /// Opens or creates the file; throws IoError. An unfinished last line, which a killed process
  /// left behind, is ended or removed. A file that is created here is removed again if nothing is
  /// written to it.
  LineFile(std::string path, TornLine torn);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Appends `line`, which ends in '\n'. Never throws. Returns an errno when lines have just
  /// started to wait; 0 otherwise.
  int append(std::string_view line) noexcept;
  const std::string& path() const { return path_; }

 private:
  void repair(TornLine torn);
  int write_waiting() noexcept;

  std::string path_;
  bool is_new_;
  int descriptor_ = -1;
  std::mutex mutex_;
  std::string waiting_;
  bool failing_ = false;
};

}  // namespace phraseq
