#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/api.h"

struct stat;

namespace phraseq {

/// What a mapped file's memory is for. kChanging: it may be written to; the file and other programs
/// do not see the changes.
enum class MappedUse { kReading, kChanging };

/// A whole file as memory. The file must not shrink while it is mapped: phraseq replaces files by
/// renaming, never in place; lost_mappings.h reports it if others do. Throws IoError, and
/// FormatError for a pointer of Git LFS.
class PHRASEQ_API MappedFile {
 public:
  explicit MappedFile(std::string path);
  MappedFile(std::string path, MappedUse use);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  size_t size() const { return size_; }
  const std::string& path() const { return path_; }

  /// CRC-32C of the content; reads all of it but uses little memory.
  uint32_t crc32c() const;
  /// Whether the file was written to, in place, after it was opened. False if it was replaced by a
  /// rename or removed, which leaves the memory as it is.
  bool is_rewritten() const;
  /// Releases the memory of what was read; it is read from the file again when needed. For passes
  /// over a file that is larger than the memory.
  void release() const;

 private:
  /// What tells versions of a file apart.
  struct Version {
    uint64_t device = 0, inode = 0;
    int64_t size = 0, modified_seconds = 0, modified_nanoseconds = 0;

    bool operator==(const Version&) const = default;
  };
  static Version version_of(const struct stat& status);

  std::string path_;
  Version version_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// A whole file, copied. Throws IoError, and FormatError for a pointer of Git LFS.
PHRASEQ_API std::string read_file(const std::string& path);

/// CRC-32C of a whole file, read piece by piece. Throws IoError.
PHRASEQ_API uint32_t file_crc32c(const std::string& path);

}  // namespace phraseq
