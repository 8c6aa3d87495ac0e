#include "core/io/utf8.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <unicode/utf8.h>

#include "core/base/utf8_characters.h"

namespace phraseq {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101ULL;
constexpr uint64_t kHighBits = 0x8080808080808080ULL;

uint8_t byte_at(std::string_view text, size_t position) {
  return static_cast<uint8_t>(text[position]);
}

bool is_control(uint8_t byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f;
}

/// The position after the groups of eight plain characters (ASCII, no control bytes) that start at
/// `position`.
size_t skip_plain(std::string_view text, size_t position) {
  for (; position + 8 <= text.size(); position += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + position, sizeof word);
    const uint64_t below_space = word - kOnes * 0x20;  // borrows only after a byte below 0x20
    const uint64_t delete_byte = word + kOnes;         // 0x7f becomes 0x80
    if (((word | below_space | delete_byte) & kHighBits) != 0)
      break;
  }
  return position;
}

size_t sequence_length(uint8_t first) {
  if (first < 0x80)
    return 1;
  if (first < 0xe0)
    return 2;
  return first < 0xf0 ? 3 : 4;
}

/// The defect of a sequence whose second byte is a continuation byte outside the legal range.
std::optional<TextDefect> second_byte_defect(uint8_t first, uint8_t second) {
  if ((first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90)) {
    return TextDefect::kOverlong;
  }
  if (first == 0xed && second >= 0xa0)
    return TextDefect::kSurrogate;
  if (first == 0xf4 && second >= 0x90)
    return TextDefect::kTooLarge;
  return std::nullopt;
}

/// The fault of the sequence of several bytes at `position`, if it has one.
std::optional<TextFault> sequence_fault(std::string_view text, size_t position) {
  const uint8_t first = byte_at(text, position);
  const auto fault = [&](TextDefect defect, size_t length) {
    return TextFault{defect, position, length};
  };
  if (first < 0xc0)
    return fault(TextDefect::kStrayContinuation, 1);
  if (first >= 0xf5)
    return fault(TextDefect::kInvalidByte, 1);
  const size_t wanted = sequence_length(first);
  size_t found = 1;
  while (found < wanted && position + found < text.size() &&
         continues_character(text[position + found])) {
    ++found;
  }
  if (first < 0xc2)
    return fault(TextDefect::kOverlong, found);
  if (found > 1) {
    if (const auto defect = second_byte_defect(first, byte_at(text, position + 1))) {
      return fault(*defect, found);
    }
  }
  if (found < wanted)
    return fault(TextDefect::kTruncated, found);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(TextDefect defect) {
  switch (defect) {
    case TextDefect::kInvalidByte:
      return "byte that is never in UTF-8";
    case TextDefect::kStrayContinuation:
      return "stray continuation byte";
    case TextDefect::kTruncated:
      return "truncated character";
    case TextDefect::kOverlong:
      return "overlong encoding";
    case TextDefect::kSurrogate:
      return "surrogate";
    case TextDefect::kTooLarge:
      return "character above U+10FFFF";
    case TextDefect::kControl:
      return "control byte";
  }
  return "defect";
}

std::optional<TextFault> find_text_fault(std::string_view text, ControlBytes control, size_t from) {
  size_t position = from;
  while ((position = skip_plain(text, position)) < text.size()) {
    const uint8_t byte = byte_at(text, position);
    if (byte < 0x80) {
      if (control == ControlBytes::kReject && is_control(byte)) {
        return TextFault{TextDefect::kControl, position, 1};
      }
      ++position;
    } else {
      if (const auto fault = sequence_fault(text, position))
        return fault;
      position += sequence_length(byte);
    }
  }
  return std::nullopt;
}

std::string repair_text(std::string_view text, ControlBytes control) {
  std::string repaired;
  size_t position = 0;
  while (const auto fault = find_text_fault(text, control, position)) {
    repaired.append(text.substr(position, fault->offset - position));
    repaired.append(fault->defect == TextDefect::kControl ? " " : "\xEF\xBF\xBD");
    position = fault->offset + fault->length;
  }
  return repaired.append(text.substr(position));
}

std::string escape_bytes(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{}0x{:02X}", text.empty() ? "" : " ", static_cast<uint8_t>(byte));
  }
  return text;
}

std::string fault_text(std::string_view text, const TextFault& fault) {
  return fmt::format("{}{} ({})",
                     fault.defect == TextDefect::kControl ? "" : "invalid UTF-8: ",
                     to_string(fault.defect),
                     escape_bytes(text.substr(fault.offset, fault.length)));
}

char32_t next_character(std::string_view text, size_t& position) {
  const char* bytes = text.data();
  const auto size = static_cast<int64_t>(text.size());
  auto index = static_cast<int64_t>(position);
  UChar32 character = 0;
  U8_NEXT_OR_FFFD(bytes, index, size, character);
  position = static_cast<size_t>(index);
  return static_cast<char32_t>(character);
}

}  // namespace phraseq
