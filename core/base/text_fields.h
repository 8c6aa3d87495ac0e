#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace phraseq {

/// The parts of `text` between the separators, including empty ones; a single part if there is no
/// separator. `text` must outlive them.
inline std::vector<std::string_view> split_text(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The same without the empty parts.
inline std::vector<std::string_view> filled_parts(std::string_view text,
                                                  std::string_view separator) {
  std::vector<std::string_view> parts = split_text(text, separator);
  std::erase(parts, std::string_view());
  return parts;
}

/// `text` without the `characters` at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view characters = " \t\r\n") {
  const size_t begin = text.find_first_not_of(characters);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(characters) - begin + 1);
}

/// Whether a byte is a digit or a letter of ASCII, whatever the locale.
constexpr bool is_ascii_digit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr bool is_ascii_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
constexpr bool is_ascii_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
constexpr bool is_ascii_letter(char byte) { return is_ascii_lower(byte) || is_ascii_upper(byte); }

/// `text` with a to z instead of A to Z, whatever the locale; all other bytes stay.
inline std::string to_ascii_lowercase(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (byte >= 'A' && byte <= 'Z')
      byte = static_cast<char>(byte + ('a' - 'A'));
  }
  return result;
}

/// All of `text` as a number in the notation of the C locale; nothing if it is not a number or does
/// not fit. "nan" and "inf" are floating-point numbers.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

/// The same, but nothing for "nan" and "inf".
inline std::optional<double> finite_number_in(std::string_view text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace phraseq
