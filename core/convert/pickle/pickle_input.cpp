#include "core/convert/pickle/pickle_input.h"

#include <bit>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/convert/pickle/pickle_reader.h"

namespace phraseq {

PickleInput::PickleInput(std::string_view bytes, const std::string& where)
    : bytes_(bytes), where_(where) {
  if (bytes.size() > kMaxPickleBytes) {
    throw FormatError(fmt::format("{}: the pickle data are {} bytes long; at most {} are read",
                                  where,
                                  bytes.size(),
                                  kMaxPickleBytes));
  }
}

void PickleInput::fail(std::string_view problem) const {
  throw FormatError(
      fmt::format("{}: damaged pickle data at byte {}: {}", where_, opcode_at_, problem));
}

char PickleInput::take_opcode() {
  opcode_at_ = position_;
  return take(1)[0];
}

std::string_view PickleInput::take(uint64_t count) {
  if (count > bytes_.size() - position_)
    fail("the data end within a value");
  const std::string_view taken = bytes_.substr(position_, static_cast<size_t>(count));
  position_ += taken.size();
  return taken;
}

uint64_t PickleInput::take_number(size_t bytes) {
  uint64_t value = 0;
  const std::string_view taken = take(bytes);
  for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(taken[i]);
  return value;
}

double PickleInput::take_double() {
  uint64_t bits = 0;
  for (const char byte : take(sizeof(bits))) bits = bits << 8 | static_cast<unsigned char>(byte);
  return std::bit_cast<double>(bits);
}

std::string_view PickleInput::take_line() {
  const size_t end = bytes_.find('\n', position_);
  if (end == std::string_view::npos)
    fail("the data end within a line");
  const std::string_view line = take(end - position_);
  take(1);
  return line;
}

}  // namespace phraseq
