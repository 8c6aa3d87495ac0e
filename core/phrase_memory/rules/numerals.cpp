#include "core/phrase_memory/rules/numerals.h"

#include <array>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr std::string_view kNumeralDigits = "0123456789";

struct NumeralScale {
  int64_t unit;
  int64_t smallest;  ///< what values must be multiples of
  const char* name;
};
constexpr std::array<NumeralScale, 3> kNumeralScales = {
    NumeralScale{1'000'000'000'000, 1'000'000'000, "trillion"},
    NumeralScale{1'000'000'000, 1'000'000, "billion"},
    NumeralScale{1'000'000, 10'000, "million"},
};

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kNumeralDigits) == std::string_view::npos;
}

/// Digits in groups of three, 1,345 with ',' for `mark`; groups are joined by `other`.
std::optional<std::string> with_other_marks(std::string_view text, char mark, char other) {
  std::string result;
  for (bool is_first = true;; is_first = false) {
    const size_t end = text.find(mark);
    const std::string_view group = text.substr(0, end);
    const bool is_short = is_first && group.size() <= 3 && !group.starts_with('0');
    if (!is_digits(group) || !(is_first ? is_short : group.size() == 3))
      return std::nullopt;
    result += group;
    if (end == std::string_view::npos)
      return result;
    result += other;
    text.remove_prefix(end + 1);
  }
}

/// Exchanges the group mark and the decimal point of a number.
std::optional<std::string> exchanged(std::string_view text, char mark, char point) {
  const size_t at = text.find(point);
  const std::string_view whole = text.substr(0, at);
  const bool has_groups = whole.find(mark) != std::string_view::npos;
  if (at == std::string_view::npos && !has_groups)
    return std::nullopt;
  auto result = has_groups ? with_other_marks(whole, mark, point) : std::string(whole);
  if (!result || (!has_groups && !is_digits(whole)))
    return std::nullopt;
  if (at != std::string_view::npos) {
    if (!is_digits(text.substr(at + 1)))
      return std::nullopt;
    *result += mark;
    *result += text.substr(at + 1);
  }
  return result;
}

std::string scaled(int64_t value, const NumeralScale& scale) {
  std::string decimals = fmt::format("{:012}", value % scale.unit);
  decimals = decimals.substr(decimals.size() - fmt::format("{}", scale.unit).size() + 1);
  decimals.resize(decimals.find_last_not_of('0') + 1);
  return fmt::format(
      "{}{}{} {}", value / scale.unit, decimals.empty() ? "" : ".", decimals, scale.name);
}

}  // namespace

std::string grouped_digits(int64_t value) {
  const std::string digits = fmt::format("{}", value);
  std::string grouped;
  for (size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0)
      grouped += ',';
    grouped += digits[at];
  }
  return grouped;
}

std::string english_number(int64_t value) {
  for (const NumeralScale& scale : kNumeralScales) {
    if (value >= scale.unit && value % scale.smallest == 0)
      return scaled(value, scale);
  }
  return grouped_digits(value);
}

std::optional<std::string> german_number(std::string_view text) {
  return exchanged(text, ',', '.');
}

std::optional<std::string> english_from_german_number(std::string_view text) {
  return exchanged(text, '.', ',');
}

}  // namespace phraseq
