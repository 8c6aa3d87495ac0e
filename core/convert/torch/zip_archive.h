#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// A ZIP archive in memory whose entries are stored without compression, as PyTorch and NumPy's
/// `savez` write them, including the 64-bit sizes of large archives. Opening reads the directory;
/// `read` checks an entry. Entries are views into the archive.
class PHRASEQ_API ZipArchive {
 public:
  /// Throws a FormatError that begins with `path` for bytes that are not a complete archive.
  ZipArchive(std::span<const std::byte> bytes, const std::string& path);

  /// Whether bytes begin like an archive.
  static bool is_archive(std::span<const std::byte> bytes);

  bool contains(const std::string& name) const { return entries_.contains(name); }
  std::vector<std::string> names() const;  ///< sorted
  /// An entry's bytes. Throws FormatError if there is no such entry, it is compressed or encrypted,
  /// it extends beyond the archive, or its CRC-32 is not the recorded one.
  std::span<const std::byte> read(const std::string& name) const;

 private:
  struct Entry {
    uint16_t flags = 0;
    uint16_t method = 0;
    uint32_t crc = 0;
    uint64_t size = 0;
    uint64_t stored_size = 0;
    uint64_t header = 0;
  };

  [[noreturn]] void fail(std::string_view problem) const;
  uint64_t number(uint64_t offset, size_t bytes) const;
  std::string_view text(uint64_t offset, uint64_t size) const;
  uint64_t find_end() const;
  void read_directory();
  uint64_t read_entry(uint64_t offset);
  void read_large_sizes(Entry& entry, uint64_t extra, uint64_t extra_end) const;

  std::span<const std::byte> bytes_;
  std::string path_;
  std::map<std::string, Entry> entries_;
};

}  // namespace phraseq
