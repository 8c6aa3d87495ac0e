#include "core/train/tensorboard/event_record.h"

#include <bit>
#include <span>

#include "core/io/crc32c.h"
#include "core/io/protobuf/protobuf_message.h"

namespace phraseq::tensorboard {
namespace {

template <class Unsigned>
void append_little_endian(std::string& out, Unsigned value) {
  for (size_t byte = 0; byte < sizeof(value); ++byte)
    out += static_cast<char>((value >> (8 * byte)) & 0xFF);
}

/// Field 1 of Event, wall_time.
ProtobufMessage event_at(double wall_time) {
  ProtobufMessage event;
  event.add_double(1, wall_time);
  return event;
}

/// Fields 1 and 2 of Summary.Value, tag and simple_value.
ProtobufMessage scalar_value(std::string_view tag, float value) {
  ProtobufMessage scalar;
  scalar.add_bytes(1, tag);
  scalar.add_float(2, value);
  return scalar;
}

uint32_t masked_checksum(std::string_view data) {
  const uint32_t sum = crc32c(std::as_bytes(std::span(data)));
  return std::rotr(sum, 15) + 0xA282EAD8U;
}

}  // namespace

std::string version_event(double wall_time) {
  ProtobufMessage event = event_at(wall_time);
  event.add_bytes(3, "brain.Event:2");
  return event.bytes();
}

std::string scalar_event(double wall_time, int64_t step, const Scalars& scalars) {
  ProtobufMessage summary;
  for (const auto& [tag, value] : scalars) summary.add_message(1, scalar_value(tag, value));
  ProtobufMessage event = event_at(wall_time);
  event.add_number(2, step);
  event.add_message(5, summary);
  return event.bytes();
}

std::string start_event(double wall_time, int64_t step) {
  ProtobufMessage session_log;
  session_log.add_number(1, 1);  // status: START
  ProtobufMessage event = event_at(wall_time);
  event.add_number(2, step);
  event.add_message(7, session_log);
  return event.bytes();
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
