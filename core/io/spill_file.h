#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/api.h"
#include "core/io/descriptor.h"

namespace phraseq {

/// Bytes that are written one after the other and then read from the beginning, on disk instead of
/// in memory: a file without a name, which vanishes with the object or the process.
class PHRASEQ_API SpillFile {
 public:
  /// Makes a file in the folder of `path`, which errors name. Throws IoError.
  explicit SpillFile(std::string path);

  void write(std::span<const std::byte> bytes);
  /// Ends writing; `read` starts from the beginning, again after every call.
  void rewind();
  /// Fills `bytes`; returns how many there were, fewer than requested only at the end.
  size_t read(std::span<std::byte> bytes);

 private:
  [[noreturn]] void fail(const char* step) const;
  void flush();

  std::string path_;
  Descriptor descriptor_;
  std::string buffer_;
};

}  // namespace phraseq
