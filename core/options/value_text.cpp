#include "core/options/value_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text_fields.h"

namespace phraseq {
namespace {

std::string_view without_brackets(std::string_view text) {
  const bool round = text.starts_with('(') && text.ends_with(')');
  const bool square = text.starts_with('[') && text.ends_with(']');
  if (!round && !square)
    return text;
  text = trimmed(text.substr(1, text.size() - 2));
  if (text.ends_with(','))
    text.remove_suffix(1);  // Python's "(1,)"
  return text;
}

}  // namespace

template <>
std::optional<bool> value_from_text(std::string_view text) {
  constexpr std::array<std::string_view, 3> kTrue = {"yes", "true", "on"};
  constexpr std::array<std::string_view, 3> kFalse = {"no", "false", "off"};
  const std::string word = to_ascii_lowercase(text);
  if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end())
    return true;
  if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end())
    return false;
  return std::nullopt;
}

template <>
std::optional<int64_t> value_from_text(std::string_view text) {
  return number_in<int64_t>(text);
}

template <>
std::optional<double> value_from_text(std::string_view text) {
  return finite_number_in(text);
}

template <>
std::optional<std::string> value_from_text(std::string_view text) {
  return std::string(text);
}

template <>
std::string_view type_name<bool>() {
  return "yes or no";
}
template <>
std::string_view type_name<int64_t>() {
  return "an integer";
}
template <>
std::string_view type_name<double>() {
  return "a finite number";
}
template <>
std::string_view type_name<std::string>() {
  return "a string";
}

std::string text_of(bool value) { return value ? "yes" : "no"; }
std::string text_of(int64_t value) { return fmt::format("{}", value); }
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const EnumTarget& value) { return value.name(); }
std::string text_of(const std::vector<int64_t>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}
std::string text_of(const std::vector<double>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

std::string text_of(const std::vector<std::string>& values) {
  std::string result;
  for (const std::string& value : values) {
    if (&value != &values.front())
      result += ',';
    for (const char c : value) {
      if (c == ',' || c == '\\')
        result += '\\';
      result += c;
    }
  }
  return result;
}

std::vector<std::string> split_list(std::string_view text, bool numbers) {
  text = trimmed(text);
  if (numbers)
    text = trimmed(without_brackets(text));
  if (text.empty())
    return {};
  std::vector<std::string> raw(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\');
    if (text[i] == ',') {
      raw.emplace_back();
    } else {
      raw.back() += escaped ? text[++i] : text[i];
    }
  }
  std::vector<std::string> items;
  for (const std::string& item : raw) items.emplace_back(trimmed(item));
  return items;
}

std::string range_text(double low, double high) {
  if (std::isinf(high))
    return fmt::format("at least {}", low);
  if (std::isinf(low))
    return fmt::format("at most {}", high);
  return fmt::format("{} to {}", low, high);
}

}  // namespace phraseq
