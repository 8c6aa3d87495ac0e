#include "core/convert/pickle/python_literals.h"

#include "core/text/unicode.h"

namespace phraseq {
namespace {

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  const auto letter = static_cast<char>(digit | 0x20);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// The `count` hexadecimal digits of an escape.
char32_t take_escape(std::string_view& text, size_t count, const PickleInput& input) {
  if (text.size() < count)
    input.fail("an escape sequence is cut off");
  char32_t value = 0;
  for (const char digit : text.substr(0, count)) {
    if (hexadecimal(digit) < 0)
      input.fail("an escape sequence is not hexadecimal");
    value = value * 16 + static_cast<char32_t>(hexadecimal(digit));
  }
  text.remove_prefix(count);
  if (value > 0x10FFFF)
    input.fail("an escape sequence is not a character");
  return value;
}

char escaped(char kind, const PickleInput& input) {
  constexpr std::string_view kNames = "\\'\"ntr";
  constexpr std::string_view kMeanings = "\\'\"\n\t\r";
  const size_t found = kNames.find(kind);
  if (found == std::string_view::npos)
    input.fail("an unknown escape sequence");
  return kMeanings[found];
}

}  // namespace

std::string decode_raw_unicode(std::string_view text, const PickleInput& input) {
  std::string decoded;
  while (!text.empty()) {
    const char first = text[0];
    const size_t digits = text.starts_with("\\u") ? 4 : text.starts_with("\\U") ? 8 : 0;
    text.remove_prefix(digits > 0 ? 2 : 1);
    append_utf8(decoded,
                digits > 0 ? take_escape(text, digits, input)
                           : static_cast<char32_t>(static_cast<unsigned char>(first)));
  }
  return decoded;
}

std::string decode_literal(std::string_view text, const PickleInput& input) {
  if (text.size() < 2 || text.front() != text.back() || (text[0] != '\'' && text[0] != '"'))
    input.fail("a string is not in quotation marks");
  text = text.substr(1, text.size() - 2);
  std::string decoded;
  while (!text.empty()) {
    char next = text[0];
    text.remove_prefix(1);
    if (next == '\\' && !text.empty()) {
      const char kind = text[0];
      text.remove_prefix(1);
      next = kind == 'x' ? static_cast<char>(take_escape(text, 2, input)) : escaped(kind, input);
    }
    decoded.push_back(next);
  }
  return decoded;
}

}  // namespace phraseq
