#include "core/base/wording/message_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <unicode/utf8.h>

#include "core/base/utf8_characters.h"

namespace phraseq {
namespace {

constexpr size_t kLongestLine = 1000;
constexpr size_t kLineBeginning = 600, kLineEnd = 300;
constexpr size_t kMaxLines = 200;
constexpr size_t kExcerptBytes = 200;

/// The first bytes of a text, ending between two characters.
std::string_view beginning_of(std::string_view text, size_t bytes) {
  while (bytes > 0 && bytes < text.size() && continues_character(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string_view end_of(std::string_view text, size_t bytes) {
  size_t start = text.size() - bytes;
  while (start < text.size() && continues_character(text[start])) ++start;
  return text.substr(start);
}

/// "\xE2\x82"
std::string escaped(std::string_view bytes) {
  std::string shown;
  for (const char byte : bytes) shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  return shown;
}

/// A character as a terminal can show it. Control characters are those below U+0020 except the tab,
/// U+007F, and U+0080 to U+009F.
std::string shown_character(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  const auto next = static_cast<unsigned char>(character.back());
  if (byte == 0xC2 && next < 0xA0)
    return fmt::format("\\u{:04X}", next);
  if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
    return escaped(character);
  return std::string(character);
}

/// The text with escapes for control characters and bytes that are not UTF-8.
std::string without_controls(std::string_view text) {
  std::string shown;
  const auto size = static_cast<int64_t>(text.size());
  for (int64_t next = 0; next < size;) {
    const int64_t begin = next;
    UChar32 character = 0;
    U8_NEXT(text.data(), next, size, character);  // negative for invalid UTF-8
    const auto bytes = text.substr(static_cast<size_t>(begin), static_cast<size_t>(next - begin));
    shown += character < 0 ? escaped(bytes) : shown_character(bytes);
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
    if (lines == kMaxLines) {
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
