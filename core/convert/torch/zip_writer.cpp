#include "core/convert/torch/zip_writer.h"

#include <zlib.h>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr uint16_t kZipVersion = 20;
constexpr uint16_t kDate1980 = 0x0021;  // the first of January
constexpr uint64_t kMaxArchive = 0xFFFFFFFF;
constexpr uint16_t kMaxEntries = 0xFFFF;

void append_number(std::string& bytes, uint64_t value, size_t count) {
  for (; count > 0; --count, value >>= 8) bytes += static_cast<char>(value & 0xFF);
}

/// What the entry itself and the directory record alike: from the version to the length of the
/// extra field.
std::string common_fields(std::string_view name, std::string_view bytes) {
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  std::string fields;
  append_number(fields, kZipVersion, 2);
  append_number(fields, 0, 2);  // flags
  append_number(fields, 0, 2);  // stored
  append_number(fields, 0, 2);  // time
  append_number(fields, kDate1980, 2);
  append_number(fields, crc, 4);
  append_number(fields, bytes.size(), 4);
  append_number(fields, bytes.size(), 4);
  append_number(fields, name.size(), 2);
  append_number(fields, 0, 2);  // extra field
  return fields;
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view bytes) {
  if (entries_.size() + directory_.size() + bytes.size() + 2 * name.size() + 1024 > kMaxArchive ||
      count_ == kMaxEntries) {
    throw UsageError(fmt::format("the ZIP archive with the entry '{}' has more than 4 GiB", name));
  }
  const std::string fields = common_fields(name, bytes);
  append_number(directory_, 0x02014b50, 4);
  append_number(directory_, kZipVersion, 2);
  directory_ += fields;
  append_number(directory_, 0, 2);  // comment
  append_number(directory_, 0, 2);  // disk
  append_number(directory_, 0, 2);  // internal attributes
  append_number(directory_, 0, 4);  // external attributes
  append_number(directory_, entries_.size(), 4);
  directory_ += name;
  append_number(entries_, 0x04034b50, 4);
  entries_ += fields;
  entries_ += name;
  entries_ += bytes;
  ++count_;
}

std::string ZipWriter::finish() const {
  std::string archive = entries_ + directory_;
  append_number(archive, 0x06054b50, 4);
  append_number(archive, 0, 2);  // disk
  append_number(archive, 0, 2);
  append_number(archive, count_, 2);
  append_number(archive, count_, 2);
  append_number(archive, directory_.size(), 4);
  append_number(archive, entries_.size(), 4);
  append_number(archive, 0, 2);  // comment
  return archive;
}

}  // namespace phraseq
