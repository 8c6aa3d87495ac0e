#include "core/convert/torch/zip_archive.h"

#include <algorithm>
#include <zlib.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"

namespace phraseq {
namespace {

// PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14, 4.3.15, 4.3.16 and 4.5.3.
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kLargeEndSignature = 0x06064b50;
constexpr uint32_t kLargeLocatorSignature = 0x07064b50;
constexpr uint64_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kLargeLocatorBytes = 20;
constexpr uint64_t kLongestComment = 65535;
constexpr uint64_t kElsewhere = 0xFFFFFFFF;  // the value is in the 64-bit fields
constexpr uint16_t kLargeSizesTag = 1;
constexpr uint16_t kEncryptedFlag = 1;

uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes, const std::string& path)
    : bytes_(bytes), path_(path) {
  read_directory();
}

bool ZipArchive::is_archive(std::span<const std::byte> bytes) {
  constexpr std::string_view kBegin = "PK\x03\x04";
  return bytes.size() >= kBegin.size() &&
         std::equal(kBegin.begin(), kBegin.end(), bytes.begin(), [](char a, std::byte b) {
           return static_cast<std::byte>(a) == b;
         });
}

void ZipArchive::fail(std::string_view problem) const {
  throw FormatError(fmt::format("{}: damaged or incomplete ZIP archive: {}", path_, problem));
}

/// A little-endian number.
uint64_t ZipArchive::number(uint64_t offset, size_t count) const {
  const std::string_view digits = text(offset, count);
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
  return value;
}

std::string_view ZipArchive::text(uint64_t offset, uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    fail(fmt::format("bytes {} to {} are beyond the end", offset, offset + size));
  return {reinterpret_cast<const char*>(bytes_.data()) + offset, static_cast<size_t>(size)};
}

/// The end record, which only a comment follows.
uint64_t ZipArchive::find_end() const {
  const uint64_t size = bytes_.size();
  for (uint64_t back = kEndBytes; back <= std::min(size, kEndBytes + kLongestComment); ++back) {
    if (number(size - back, 4) == kEndSignature)
      return size - back;
  }
  fail(fmt::format("no directory at the end of its {} bytes", size));
}

void ZipArchive::read_directory() {
  const uint64_t end = find_end();
  uint64_t count = number(end + 10, 2);
  uint64_t offset = number(end + 16, 4);
  if (end >= kLargeLocatorBytes && number(end - kLargeLocatorBytes, 4) == kLargeLocatorSignature) {
    const uint64_t large_end = number(end - kLargeLocatorBytes + 8, 8);
    if (number(large_end, 4) != kLargeEndSignature)
      fail("no 64-bit directory where it should be");
    count = number(large_end + 32, 8);
    offset = number(large_end + 48, 8);
  }
  for (; count > 0; --count) offset = read_entry(offset);
}

/// Reads the directory's entry at `offset`; returns where the next one is.
uint64_t ZipArchive::read_entry(uint64_t offset) {
  if (number(offset, 4) != kEntrySignature)
    fail(fmt::format("no entry of the directory at byte {}", offset));
  Entry entry;
  entry.flags = static_cast<uint16_t>(number(offset + 8, 2));
  entry.method = static_cast<uint16_t>(number(offset + 10, 2));
  entry.crc = static_cast<uint32_t>(number(offset + 16, 4));
  entry.stored_size = number(offset + 20, 4);
  entry.size = number(offset + 24, 4);
  entry.header = number(offset + 42, 4);
  const uint64_t name_end = offset + kEntryBytes + number(offset + 28, 2);
  const uint64_t extra_end = name_end + number(offset + 30, 2);
  read_large_sizes(entry, name_end, extra_end);
  const std::string name(text(offset + kEntryBytes, name_end - offset - kEntryBytes));
  if (!entries_.emplace(name, entry).second)
    fail(fmt::format("two entries are called '{}'", excerpt(name)));
  return extra_end + number(offset + 32, 2);
}

void ZipArchive::read_large_sizes(Entry& entry, uint64_t extra, uint64_t extra_end) const {
  while (extra + 4 <= extra_end) {
    const uint64_t tag = number(extra, 2), size = number(extra + 2, 2);
    uint64_t field = extra + 4;
    for (uint64_t* value : {&entry.size, &entry.stored_size, &entry.header}) {
      if (tag != kLargeSizesTag || *value != kElsewhere)
        continue;
      *value = number(field, 8);
      field += 8;
    }
    extra += 4 + size;
  }
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  return all;
}

std::span<const std::byte> ZipArchive::read(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    fail(fmt::format("there is no entry '{}'", excerpt(name)));
  const Entry& entry = found->second;
  if (entry.method != 0 || (entry.flags & kEncryptedFlag) != 0 || entry.size != entry.stored_size) {
    fail(fmt::format(
        "the entry '{}' is compressed or encrypted; expected entries that are stored as "
        "they are",
        excerpt(name)));
  }
  if (number(entry.header, 4) != kLocalSignature)
    fail(fmt::format("the entry '{}' is not where the directory has it", excerpt(name)));
  const uint64_t begin =
      entry.header + kLocalBytes + number(entry.header + 26, 2) + number(entry.header + 28, 2);
  const std::string_view content = text(begin, entry.size);
  const auto bytes = std::as_bytes(std::span(content));
  if (crc32_of(bytes) != entry.crc)
    fail(fmt::format("the bytes of the entry '{}' do not match their CRC-32", excerpt(name)));
  return bytes;
}

}  // namespace phraseq
