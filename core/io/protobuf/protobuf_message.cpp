#include "core/io/protobuf/protobuf_message.h"

#include <bit>
#include <cstddef>

namespace phraseq {
namespace {

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

uint64_t tag_of(uint32_t field, WireType type) { return uint64_t{field} << 3 | type; }

}  // namespace

void ProtobufMessage::add_varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtobufMessage::add_number(uint32_t field, int64_t value) {
  add_varint(tag_of(field, kVarint));
  add_varint(static_cast<uint64_t>(value));
}

/// In little-endian order.
template <class Unsigned>
void ProtobufMessage::add_fixed(Unsigned value) {
  for (size_t byte = 0; byte < sizeof(value); ++byte, value >>= 8)
    bytes_ += static_cast<char>(value & 0xFF);
}

void ProtobufMessage::add_float(uint32_t field, float value) {
  add_varint(tag_of(field, kFixed32));
  add_fixed(std::bit_cast<uint32_t>(value));
}

void ProtobufMessage::add_double(uint32_t field, double value) {
  add_varint(tag_of(field, kFixed64));
  add_fixed(std::bit_cast<uint64_t>(value));
}

void ProtobufMessage::add_bytes(uint32_t field, std::string_view value) {
  add_varint(tag_of(field, kLengthDelimited));
  add_varint(value.size());
  bytes_ += value;
}

}  // namespace phraseq
