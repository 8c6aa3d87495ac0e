#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/option_table.h"

namespace phraseq {

/// How single values are written and read everywhere: in the C locale, and only whole strings.

/// Parses a value; nothing unless all of `text` is one value. Booleans: yes, no, true, false, on,
/// off, in any case. Numbers must be finite.
template <class Value>
std::optional<Value> value_from_text(std::string_view text);
template <>
std::optional<bool> value_from_text(std::string_view text);
template <>
std::optional<int64_t> value_from_text(std::string_view text);
template <>
std::optional<double> value_from_text(std::string_view text);
template <>
std::optional<std::string> value_from_text(std::string_view text);

/// The name of a type for messages, such as "a whole number".
template <class Value>
std::string_view type_name();
template <>
std::string_view type_name<bool>();
template <>
std::string_view type_name<int64_t>();
template <>
std::string_view type_name<double>();
template <>
std::string_view type_name<std::string>();

/// The text of a value, in the form that `value_from_text` and `split_list` read.
std::string text_of(bool value);
std::string text_of(int64_t value);
std::string text_of(double value);  ///< the shortest text that reads back as the same number
std::string text_of(const std::string& value);
std::string text_of(const EnumTarget& value);
std::string text_of(const std::vector<int64_t>& values);
std::string text_of(const std::vector<double>& values);
std::string text_of(const std::vector<std::string>& values);  ///< a comma inside a value as "\,"

/// Splits at commas, removes spaces around the items, and unescapes "\," and "\\". `numbers` also
/// accepts fairseq's "(0.9, 0.98)" and "[1, 2]". An empty text has no items.
std::vector<std::string> split_list(std::string_view text, bool numbers);

/// The text of a range: "0 to 1", "at least 1" …
std::string range_text(double low, double high);

}  // namespace phraseq
