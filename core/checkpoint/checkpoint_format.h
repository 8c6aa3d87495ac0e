#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace phraseq {

// What makes a safetensors file a checkpoint of phraseq: entries of the header's metadata,
// described in docs/formats/checkpoint.md. Every file that phraseq writes has all of them.
inline constexpr int kCheckpointFormatVersion = 1;
inline constexpr const char* kReservedPrefix = "phraseq.";
inline constexpr const char* kFormatVersionKey = "phraseq.format_version";
inline constexpr const char* kWriterVersionKey = "phraseq.version";
inline constexpr const char* kTensorChecksumsKey = "phraseq.crc32c";
inline constexpr const char* kHeaderChecksumKey = "phraseq.header_crc32c";
/// The self-test of a model; code that changes parameters omits it.
inline constexpr const char* kSelfTestEntry = "self_test";
/// The metadata entry with the state and the options of the training.
inline constexpr const char* kTrainEntry = "train";
/// The placeholder of the header's own checksum while it is computed.
inline constexpr std::string_view kNoChecksum = "00000000";

/// The position of the eight digits of the header's own checksum in its text; npos if there are
/// none. The position is unambiguous: inside any other string the quotation marks would be escaped.
size_t find_header_checksum(std::string_view header);

/// CRC-32C of the eight length bytes and the header, with the digits at `digits` replaced by zeros.
uint32_t header_checksum(std::string_view header, size_t digits);

/// The eight bytes in front of the header.
std::string length_bytes(uint64_t header_length);
/// The length of the header that the first eight bytes of a file give.
uint64_t read_length(std::span<const std::byte> file);

}  // namespace phraseq
