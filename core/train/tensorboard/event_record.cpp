#include "core/train/tensorboard/event_record.h"

#include <bit>
#include <span>

#include "core/io/crc32c.h"

namespace phraseq::tensorboard {
namespace {

enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

template <class Unsigned>
void append_little_endian(std::string& out, Unsigned value) {
  for (size_t byte = 0; byte < sizeof(value); ++byte)
    out += static_cast<char>((value >> (8 * byte)) & 0xFF);
}

void append_key(std::string& out, uint32_t field, WireType type) {
  append_varint(out, (field << 3) | static_cast<uint32_t>(type));
}

void append_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  append_key(out, field, WireType::kBytes);
  append_varint(out, bytes.size());
  out += bytes;
}

void append_int(std::string& out, uint32_t field, int64_t value) {
  append_key(out, field, WireType::kVarint);
  append_varint(out, static_cast<uint64_t>(value));
}

/// Field 1 of Event, wall_time.
std::string event_at(double wall_time) {
  std::string event;
  append_key(event, 1, WireType::kFixed64);
  append_little_endian(event, std::bit_cast<uint64_t>(wall_time));
  return event;
}

/// Fields 1 and 2 of Summary.Value, tag and simple_value.
std::string scalar_value(std::string_view tag, float value) {
  std::string text;
  append_bytes(text, 1, tag);
  append_key(text, 2, WireType::kFixed32);
  append_little_endian(text, std::bit_cast<uint32_t>(value));
  return text;
}

uint32_t masked_checksum(std::string_view data) {
  const uint32_t sum = crc32c(std::as_bytes(std::span(data)));
  return std::rotr(sum, 15) + 0xA282EAD8U;
}

}  // namespace

std::string version_event(double wall_time) {
  std::string event = event_at(wall_time);
  append_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string scalar_event(double wall_time, int64_t step, const Scalars& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars) append_bytes(summary, 1, scalar_value(tag, value));
  std::string event = event_at(wall_time);
  append_int(event, 2, step);
  append_bytes(event, 5, summary);
  return event;
}

std::string start_event(double wall_time, int64_t step) {
  std::string session_log;
  append_int(session_log, 1, 1);  // status: START
  std::string event = event_at(wall_time);
  append_int(event, 2, step);
  append_bytes(event, 7, session_log);
  return event;
}

std::string frame(std::string_view data) {
  std::string record;
  append_little_endian(record, static_cast<uint64_t>(data.size()));
  append_little_endian(record, masked_checksum(record));
  record += data;
  append_little_endian(record, masked_checksum(data));
  return record;
}

}  // namespace phraseq::tensorboard
