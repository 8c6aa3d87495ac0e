#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A message in Protocol Buffers' wire format, written field by field
/// (https://protobuf.dev/programming-guides/encoding): a field is its number and wire type as a
/// varint, and the value.
class PHRASEQ_API ProtobufMessage {
 public:
  void add_number(uint32_t field, int64_t value);  ///< int64, int32, bool, enum
  void add_float(uint32_t field, float value);
  void add_double(uint32_t field, double value);
  void add_bytes(uint32_t field, std::string_view value);  ///< string, bytes, packed numbers
  void add_message(uint32_t field, const ProtobufMessage& value) { add_bytes(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void add_varint(uint64_t value);
  template <class Unsigned>
  void add_fixed(Unsigned value);
  std::string bytes_;
};

}  // namespace phraseq
