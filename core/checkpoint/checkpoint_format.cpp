#include "core/checkpoint/checkpoint_format.h"

#include <fmt/format.h>

#include "core/checkpoint/safetensors/safetensors_header.h"
#include "core/io/crc32c.h"

namespace phraseq {
namespace {

uint32_t crc32c_of(std::string_view text, uint32_t seed) {
  return crc32c(std::as_bytes(std::span(text)), seed);
}

}  // namespace

size_t find_header_checksum(std::string_view header) {
  const std::string before = fmt::format("\"{}\":\"", kHeaderChecksumKey);
  const size_t found = header.find(before);
  if (found == std::string_view::npos)
    return found;
  const size_t digits = found + before.size();
  return digits + kNoChecksum.size() <= header.size() ? digits : std::string_view::npos;
}

uint32_t header_checksum(std::string_view header, size_t digits) {
  uint32_t checksum = crc32c_of(length_bytes(header.size()), 0);
  checksum = crc32c_of(header.substr(0, digits), checksum);
  checksum = crc32c_of(kNoChecksum, checksum);
  return crc32c_of(header.substr(digits + kNoChecksum.size()), checksum);
}

std::string length_bytes(uint64_t header_length) {
  std::string bytes;
  for (uint64_t i = 0; i < kHeaderLengthBytes; ++i) {
    bytes.push_back(static_cast<char>(header_length >> (8 * i) & 0xFF));
  }
  return bytes;
}

uint64_t read_length(std::span<const std::byte> file) {
  uint64_t length = 0;
  for (uint64_t i = kHeaderLengthBytes; i-- > 0;) {
    length = length << 8 | std::to_integer<uint64_t>(file[i]);
  }
  return length;
}

}  // namespace phraseq
