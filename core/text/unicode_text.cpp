#include "core/text/unicode_text.h"

#include <algorithm>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/edits.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace phraseq::score {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// The character that begins at `at`, which moves after it.
char32_t next_character(std::string_view text, size_t& at) {
  const char* bytes = text.data();
  const auto size = static_cast<int64_t>(text.size());
  auto index = static_cast<int64_t>(at);
  UChar32 character = 0;
  U8_NEXT(bytes, index, size, character);
  at = static_cast<size_t>(index);
  return character < 0 ? kReplacement : static_cast<char32_t>(character);
}

/// The character that ends before `end`, which moves to its beginning.
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

bool is_python_space(char32_t character) {
  if (character < 0x80) {
    return character == ' ' || (character >= 0x09 && character <= 0x0D) ||
           (character >= 0x1C && character <= 0x1F);
  }
  return character == 0x85 || character == 0xA0 || character == 0x1680 ||
         (character >= 0x2000 && character <= 0x200A) || character == 0x2028 ||
         character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000;
}

/// Whether the character at `at` is whitespace; moves after it. ASCII is the fast way.
bool skip_if_space(std::string_view text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80)
    return is_python_space(next_character(text, at));
  ++at;
  return byte <= ' ' && is_python_space(byte);
}

}  // namespace

bool is_space(char32_t character) { return is_python_space(character); }

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
    size_t behind = begin;
    if (!is_space(next_character(text, behind)))
      break;
    begin = behind;
  }
  return strip_right(text.substr(begin));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  size_t word = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (!skip_if_space(text, at))
      continue;
    if (begin > word)
      words.push_back(text.substr(word, begin - word));
    word = at;
  }
  if (word < text.size())
    words.push_back(text.substr(word));
  return words;
}

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty())
      text += ' ';
    text += word;
  }
  return text;
}

std::vector<std::string_view> split_ascii(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  std::vector<std::string_view> words;
  for (size_t begin = 0;
       (begin = text.find_first_not_of(kSpaces, begin)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::string lowercase_ascii(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (byte >= 'A' && byte <= 'Z')
      byte = static_cast<char>(byte + ('a' - 'A'));
  }
  return result;
}

std::string lowercase(std::string_view text) {
  if (is_ascii(text))
    return lowercase_ascii(text);
  std::string result;
  result.reserve(text.size());
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&result);
  icu::CaseMap::utf8ToLower(
      "", 0, {text.data(), static_cast<int32_t>(text.size())}, sink, nullptr, status);
  return result;
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

std::string unicode_version() {
  UVersionInfo numbers;
  u_getUnicodeVersion(numbers);
  return std::to_string(numbers[0]) + '.' + std::to_string(numbers[1]);
}

}  // namespace phraseq::score
