#include "core/phrase_memory/rules/numerals.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr std::u32string_view kChineseDigits = U"〇一二三四五六七八九";
constexpr int64_t kTenThousand = 10'000;
constexpr int64_t kHundredMillion = 100'000'000;
constexpr size_t kMostDigits = 15;

std::optional<int64_t> arabic_digit(char32_t character) {
  for (const char32_t zero : {U'0', U'０'}) {
    if (character >= zero && character < zero + 10)
      return character - zero;
  }
  return std::nullopt;
}

std::optional<int64_t> chinese_digit(char32_t character) {
  if (character == U'零')
    return 0;
  if (character == U'两')
    return 2;
  const size_t at = kChineseDigits.find(character);
  return at == std::u32string_view::npos ? std::nullopt : std::optional(static_cast<int64_t>(at));
}

/// 十, 百 and 千; 0 for anything else.
int64_t unit_of(char32_t character) {
  return character == U'十' ? 10 : character == U'百' ? 100 : character == U'千' ? 1000 : 0;
}

/// Chinese digits with 十, 百 and 千: 0 to 9999. 零 must stand where a place is left out.
std::optional<int64_t> section_value(std::u32string_view text) {
  int64_t value = 0;
  int64_t lowest = kTenThousand;  // the last unit
  int64_t digit = 0;              // not used yet; 0 = none
  bool has_zero = false;
  for (const char32_t character : text) {
    if (const auto next = chinese_digit(character)) {
      if (digit > 0 || (has_zero && *next == 0))
        return std::nullopt;
      has_zero = has_zero || *next == 0;
      digit = *next;
      continue;
    }
    const int64_t unit = unit_of(character);
    const bool is_bare_ten = unit == 10 && digit == 0 && value == 0 && !has_zero;  // 十五
    const bool leaves_out = value > 0 && unit * 10 < lowest && !has_zero;
    if (unit == 0 || unit >= lowest || (digit == 0 && !is_bare_ten) || leaves_out)
      return std::nullopt;
    value += (is_bare_ten ? 1 : digit) * unit;
    lowest = unit;
    digit = 0;
    has_zero = false;
  }
  const bool is_short = digit > 0 && value > 0 && lowest > 10 && !has_zero;  // 三百五
  const bool ends_in_zero = has_zero && digit == 0;
  if (text.empty() || is_short || ends_in_zero)
    return std::nullopt;
  return value + digit;
}

/// Arabic digits, perhaps with a decimal point, times `unit`, when that is a whole number.
std::optional<int64_t> arabic_times(std::u32string_view text, int64_t unit) {
  const size_t point = std::min(text.find(U'.'), text.size());
  auto value = digits_value(text.substr(0, point));
  if (!value || !arabic_digit(text.front()) || point > 6)
    return std::nullopt;
  *value *= unit;
  if (point + 1 == text.size())
    return std::nullopt;
  for (size_t at = point + 1; at < text.size(); ++at) {
    const auto digit = arabic_digit(text[at]);
    if (!digit || unit % 10 != 0)
      return std::nullopt;
    unit /= 10;
    *value += *digit * unit;
  }
  return value;
}

/// Text before 万 or 亿, times that.
std::optional<int64_t> times(std::u32string_view text, int64_t unit) {
  if (const auto arabic = text.empty() ? std::nullopt : arabic_times(text, unit))
    return arabic;
  const auto section = section_value(text);
  return section && *section > 0 ? std::optional(*section * unit) : std::nullopt;
}

/// The rest of a number after 万 or 亿: a 零 may come first; a lone digit needs it (一万五).
std::optional<int64_t> rest_value(std::u32string_view text) {
  if (text.empty())
    return 0;
  if (text.size() == 1 || arabic_digit(text.front()))
    return std::nullopt;
  return section_value(text);
}

}  // namespace

std::optional<int64_t> digits_value(std::u32string_view text) {
  if (text.empty() || text.size() > kMostDigits)
    return std::nullopt;
  int64_t value = 0;
  for (const char32_t character : text) {
    auto digit = arabic_digit(character);
    if (!digit && character != U'两')
      digit = chinese_digit(character);
    if (!digit)
      return std::nullopt;
    value = value * 10 + *digit;
  }
  return value;
}

std::optional<int64_t> chinese_number_value(std::u32string_view text) {
  int64_t value = 0;
  bool has_unit = text.find_first_of(U"十百千") != std::u32string_view::npos;
  for (const auto& [mark, unit] : {std::pair{U'亿', kHundredMillion}, {U'万', kTenThousand}}) {
    const size_t at = text.find(mark);
    if (at == std::u32string_view::npos)
      continue;
    const auto part = times(text.substr(0, at), unit);
    if (!part)
      return std::nullopt;
    value += *part;
    has_unit = true;
    text.remove_prefix(at + 1);
  }
  if (!has_unit)
    return std::nullopt;
  const auto rest = value == 0 ? section_value(text) : rest_value(text);
  return rest ? std::optional(value + *rest) : std::nullopt;
}

std::string english_number(int64_t value) {
  struct Scale {
    int64_t unit;
    const char* name;
  };
  for (const Scale scale : {Scale{1'000'000'000'000, "trillion"},
                            Scale{1'000'000'000, "billion"},
                            Scale{1'000'000, "million"}}) {
    const int64_t tenth = scale.unit / 10;
    if (value < scale.unit || value % tenth != 0)
      continue;
    const int64_t tenths = value % scale.unit / tenth;
    const std::string point = tenths == 0 ? "" : fmt::format(".{}", tenths);
    return fmt::format("{}{} {}", value / scale.unit, point, scale.name);
  }
  const std::string digits = fmt::format("{}", value);
  std::string grouped;
  for (size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0)
      grouped += ',';
    grouped += digits[at];
  }
  return grouped;
}

std::optional<std::string> german_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const bool has_groups = whole.find(',') != std::string_view::npos;
  if (point == std::string_view::npos && !has_groups)
    return std::nullopt;
  std::string german;
  size_t group = 0;  // digits since the last comma
  for (const char character : whole) {
    const bool is_mark = character == ',';
    if (!is_mark && kDigits.find(character) == std::string_view::npos)
      return std::nullopt;
    const bool is_first = german.find('.') == std::string::npos;
    if (is_mark && !(is_first ? group >= 1 && group <= 3 : group == 3))
      return std::nullopt;
    group = is_mark ? 0 : group + 1;
    german += is_mark ? '.' : character;
  }
  if (has_groups ? group != 3 : group == 0)
    return std::nullopt;
  if (point != std::string_view::npos) {
    const std::string_view decimals = text.substr(point + 1);
    if (decimals.empty() || decimals.find_first_not_of(kDigits) != std::string_view::npos)
      return std::nullopt;
    german += ',';
    german += decimals;
  }
  return german;
}

}  // namespace phraseq
