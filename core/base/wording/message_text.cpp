#include "core/base/wording/message_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr size_t kLongestLine = 1000;
constexpr size_t kLineBeginning = 600, kLineEnd = 300;
constexpr size_t kMostLines = 200;
constexpr size_t kExcerptBytes = 200;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The first bytes of a text, ending between two characters.
std::string_view beginning_of(std::string_view text, size_t bytes) {
  while (bytes > 0 && bytes < text.size() && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string_view end_of(std::string_view text, size_t bytes) {
  size_t start = text.size() - bytes;
  while (start < text.size() && is_continuation(text[start])) ++start;
  return text.substr(start);
}

/// How many bytes a character takes that begins with `lead`; 0 = none does.
size_t bytes_after_lead(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2 || lead > 0xF4)
    return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// Whether the second byte rules out overlong forms, surrogates and what is beyond U+10FFFF.
bool may_follow(unsigned char lead, unsigned char second) {
  const unsigned char lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= lowest && second <= highest;
}

/// The bytes of the character at the beginning of `text`; 0 = it does not begin with valid UTF-8.
size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t bytes = bytes_after_lead(lead);
  if (bytes > text.size() || (bytes > 1 && !may_follow(lead, static_cast<unsigned char>(text[1]))))
    return 0;
  const std::string_view rest = text.substr(std::min<size_t>(bytes, 1), bytes > 1 ? bytes - 1 : 0);
  return std::all_of(rest.begin(), rest.end(), is_continuation) ? bytes : 0;
}

/// A character as a terminal can show it. Controls are bytes below U+0020 but tabs, U+007F, and
/// U+0080 to U+009F.
std::string shown_character(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  const auto next = static_cast<unsigned char>(character.back());
  if (byte == 0xC2 && next < 0xA0)
    return fmt::format("\\u{:04X}", next);
  if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
    return fmt::format("\\x{:02X}", byte);
  return std::string(character);
}

/// Control characters and bytes that are not UTF-8 as escapes.
std::string without_controls(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    shown += bytes > 0 ? shown_character(text.substr(0, bytes))
                       : fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return shown;
}

std::string shortened_line(std::string_view line) {
  if (line.size() <= kLongestLine)
    return std::string(line);
  return fmt::format("{} [... {} bytes ...] {}",
                     beginning_of(line, kLineBeginning),
                     line.size() - kLineBeginning - kLineEnd,
                     end_of(line, kLineEnd));
}

/// How many bytes at the beginning of `text` are a line's end; 0 = none.
size_t line_end_bytes(std::string_view text) {
  constexpr std::array<std::string_view, 10> kEnds = {
      "\n", "\r", "\v", "\f", "\x1C", "\x1D", "\x1E", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  for (const std::string_view end : kEnds) {
    if (text.starts_with(end))
      return end.size();
  }
  return 0;
}

}  // namespace

std::string shortened_message(std::string_view message) {
  std::string text;
  for (size_t lines = 0; !message.empty(); ++lines) {
    const size_t end = std::min(message.find('\n'), message.size());
    if (lines == kMostLines) {
      const auto left = std::count(message.begin(), message.end(), '\n') + 1;
      return text + fmt::format("\n  [{} more lines]", left);
    }
    text += (lines > 0 ? "\n" : "") + without_controls(shortened_line(message.substr(0, end)));
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return text;
}

std::string excerpt(std::string_view input) {
  if (input.size() <= kExcerptBytes)
    return on_one_line(input);
  return fmt::format(
      "{}... ({} bytes)", on_one_line(beginning_of(input, kExcerptBytes)), input.size());
}

std::string on_one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const size_t end = line_end_bytes(text);
    line += end > 0 ? ' ' : text.front();
    text.remove_prefix(std::max<size_t>(end, 1));
  }
  return line;
}

}  // namespace phraseq
