#include "core/io/yaml/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr char32_t kMaxCharacter = 0x10FFFF;

void append_utf8(std::string& text, char32_t character) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xC0 | character >> 6);
    byte(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    byte(0xE0 | character >> 12);
    byte(0x80 | (character >> 6 & 0x3F));
    byte(0x80 | (character & 0x3F));
  } else {
    byte(0xF0 | character >> 18);
    byte(0x80 | (character >> 12 & 0x3F));
    byte(0x80 | (character >> 6 & 0x3F));
    byte(0x80 | (character & 0x3F));
  }
}

/// YAML 1.2, section 5.7: an escape letter and the character that it represents.
constexpr std::array<std::pair<char, char32_t>, 19> kEscapes = {{{'0', 0},
                                                                 {'a', 7},
                                                                 {'b', 8},
                                                                 {'t', 9},
                                                                 {'\t', 9},
                                                                 {'n', 10},
                                                                 {'v', 11},
                                                                 {'f', 12},
                                                                 {'r', 13},
                                                                 {'e', 27},
                                                                 {' ', ' '},
                                                                 {'"', '"'},
                                                                 {'/', '/'},
                                                                 {'\\', '\\'},
                                                                 {'N', 0x85},
                                                                 {'_', 0xA0},
                                                                 {'L', 0x2028},
                                                                 {'P', 0x2029},
                                                                 {'\'', '\''}}};

std::optional<size_t> hexadecimal_digits(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return std::nullopt;
  }
}

/// The number in `count` hexadecimal digits, which `position` moves after.
char32_t read_hexadecimal(std::string_view text, size_t& position, size_t count) {
  uint32_t value = 0;
  const char* begin = text.data() + position;
  const char* end = text.data() + std::min(position + count, text.size());
  const auto [stop, error] = std::from_chars(begin, end, value, 16);
  if (error != std::errc() || stop != begin + count)
    throw YamlProblem{fmt::format("an escape without its {} hexadecimal digits", count)};
  position += count;
  return value;
}

/// The escape after a backslash. JSON writes characters beyond U+FFFF as two halves.
char32_t read_escape(std::string_view text, size_t& position) {
  if (position == text.size())
    throw YamlProblem{"a quoted text that continues on the next line"};
  const char letter = text[position++];
  if (const auto digits = hexadecimal_digits(letter)) {
    char32_t character = read_hexadecimal(text, position, *digits);
    if (character >= 0xD800 && character < 0xDC00 && text.substr(position, 2) == "\\u") {
      position += 2;
      const char32_t low = read_hexadecimal(text, position, 4);
      character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
      if (low < 0xDC00 || low > 0xDFFF)
        throw YamlProblem{"half a pair of surrogates"};
    }
    if (character > kMaxCharacter || (character >= 0xD800 && character <= 0xDFFF))
      throw YamlProblem{fmt::format("an escape of U+{:04X}, which is not a character",
                                    static_cast<uint32_t>(character))};
    return character;
  }
  for (const auto& [known, character] : kEscapes) {
    if (known == letter)
      return character;
  }
  throw YamlProblem{fmt::format("an unknown escape: '{}'", excerpt(text.substr(position - 2)))};
}

bool is_number(std::string_view text) {
  const size_t digit = text.find_first_of("0123456789");
  return digit != std::string_view::npos && text.find_first_not_of("+-.") == digit &&
         text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

/// A whole number or one with a fraction; nothing for other text.
json resolve_number(std::string_view text) {
  if (!is_number(text))
    return nullptr;
  if (text.starts_with('+'))
    text.remove_prefix(1);
  if (const auto whole = number_in<int64_t>(text))
    return *whole;
  if (const auto number = finite_number_in(text))
    return *number;
  return nullptr;
}

}  // namespace

std::string_view trimmed_yaml(std::string_view text) { return trimmed(text, " \t"); }

size_t end_before_comment(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t'))
      return i;
  }
  return text.size();
}

std::string read_quoted_yaml(std::string_view text, size_t& position) {
  const char quote = text[position++];
  std::string value;
  while (position < text.size()) {
    const char next = text[position++];
    if (next == '\\' && quote == '"') {
      append_utf8(value, read_escape(text, position));
    } else if (next != quote) {
      value += next;
    } else if (quote == '\'' && position < text.size() && text[position] == quote) {
      value += quote;
      ++position;
    } else {
      return value;
    }
  }
  throw YamlProblem{"a quoted text without its closing quote on the same line"};
}

json resolve_plain_yaml(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return nullptr;
  if (text == "true" || text == "True" || text == "TRUE")
    return true;
  if (text == "false" || text == "False" || text == "FALSE")
    return false;
  if (std::string_view("&*!|>%@`\"'[]{},").find(text.front()) != std::string_view::npos)
    throw YamlProblem{fmt::format("'{}', a form of YAML that is not supported", excerpt(text))};
  const json number = resolve_number(text);
  return number.is_null() ? json(std::string(text)) : number;
}

}  // namespace phraseq
