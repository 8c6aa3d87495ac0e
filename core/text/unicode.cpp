#include "core/text/unicode.h"

#include <algorithm>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kAsciiEnd = 0x80;

/// Returns the character before `end`, and moves `end` to its beginning.
char32_t previous_character(std::string_view text, size_t& end) {
  const size_t tail = std::min<size_t>(end, U8_MAX_LENGTH);
  const char* bytes = text.data() + (end - tail);
  auto index = static_cast<int32_t>(tail);
  UChar32 character = 0;
  U8_PREV(bytes, 0, index, character);
  end -= tail - static_cast<size_t>(index);
  return character < 0 ? kReplacement : static_cast<char32_t>(character);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return (byte & 0x80) == 0; });
}

/// Splits at the characters for which `is_separator` is true. Text in ASCII takes a faster path.
template <typename IsSeparator>
std::vector<std::string_view> split_at(std::string_view text, const IsSeparator& is_separator) {
  std::vector<std::string_view> words;
  size_t word = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    const char32_t character = byte < kAsciiEnd ? (++at, byte) : next_character(text, at);
    if ((byte > ' ' && byte < kAsciiEnd) || !is_separator(character))
      continue;
    if (begin > word)
      words.push_back(text.substr(word, begin - word));
    word = at;
  }
  if (word < text.size())
    words.push_back(text.substr(word));
  return words;
}

}  // namespace

bool is_space(char32_t character) { return u_isspace(static_cast<UChar32>(character)) != 0; }

bool is_ascii_space(char32_t character) {
  constexpr char32_t kFirstSeparator = 0x1C;  // U+001C-001F: the information separators
  return character < kAsciiEnd && is_space(character) &&
         (character < kFirstSeparator || character == ' ');
}

std::string_view strip_right(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t before = end;
    if (!is_space(previous_character(text, before)))
      break;
    end = before;
  }
  return text.substr(0, end);
}

std::string_view strip(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t after = begin;
    if (!is_space(next_character(text, after)))
      break;
    begin = after;
  }
  return strip_right(text.substr(begin));
}

std::vector<std::string_view> split_whitespace(std::string_view text) {
  return split_at(text, is_space);
}

std::vector<std::string_view> split_ascii_whitespace(std::string_view text) {
  return split_at(text, is_ascii_space);
}

std::string to_lowercase(std::string_view text) {
  if (is_ascii(text))
    return to_ascii_lowercase(text);
  std::string lowered;
  icu::StringByteSink<std::string> sink(&lowered, static_cast<int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece source(text.data(), static_cast<int32_t>(text.size()));
  icu::CaseMap::utf8ToLower("", 0, source, sink, nullptr, status);
  if (U_FAILURE(status) != 0)
    throw DataError(std::string("cannot lowercase: ") + u_errorName(status));
  return lowered;
}

std::u32string to_code_points(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) characters += next_character(text, at);
  return characters;
}

void append_utf8(std::string& text, char32_t character) {
  char bytes[U8_MAX_LENGTH];
  int32_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<UChar32>(character));
  text.append(bytes, static_cast<size_t>(size));
}

}  // namespace phraseq
