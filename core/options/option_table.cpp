#include "core/options/option_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/base/wording/message_text.h"
#include "core/options/value_text.h"

namespace phraseq {
namespace {

/// Integers without their own limit have 32 bits: they count things that are held in memory. Only
/// seeds may have any value.
constexpr double kMaxInteger = 2147483647;

[[noreturn]] void refuse_range(const OptionField& field,
                               std::string_view text,
                               double low,
                               double high) {
  throw UsageError(fmt::format(
      "--{}: {} is out of range, expected {}", field.name, excerpt(text), range_text(low, high)));
}

void check_range(const OptionField& field, double value, std::string_view text) {
  if (value < field.low || value > field.high)
    refuse_range(field, text, field.low, field.high);
}

void check_size(const OptionField& field, int64_t value, std::string_view text) {
  if (field.name.ends_with("seed"))
    return;
  const double low = std::isinf(field.low) ? -kMaxInteger : field.low;
  const double high = std::isinf(field.high) ? kMaxInteger : field.high;
  const auto number = static_cast<double>(value);
  if (number < low || number > high)
    refuse_range(field, text, low, high);
}

/// The choice that `value` names; '-' and '_' are equivalent, as in the names of options.
std::string choice_of(const OptionField& field, const std::string& value) {
  const auto& choices = field.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end())
    return value;
  for (const std::string& choice : choices) {
    if (option_name(choice) == option_name(value))
      return choice;
  }
  const auto named = field.named_choices();
  const std::string guess = did_you_mean(value, named);
  throw UsageError(fmt::format("--{}: '{}' is not one of {}{}{}",
                               field.name,
                               excerpt(value),
                               fmt::join(named, ", "),
                               guess.empty() ? "" : "; ",
                               guess));
}

/// Parses all of the text as one value of the type, within the field's limits.
template <class Value>
Value checked_value(const OptionField& field, std::string_view text) {
  auto value = value_from_text<Value>(text);
  if (!value) {
    const std::string word = field.number_word.empty() ? "" : " or " + field.number_word;
    throw UsageError(
        fmt::format("--{}: '{}' is not {}{}", field.name, excerpt(text), type_name<Value>(), word));
  }
  if constexpr (std::is_same_v<Value, int64_t>)
    check_size(field, *value, text);
  if constexpr (std::is_same_v<Value, int64_t> || std::is_same_v<Value, double>) {
    check_range(field, static_cast<double>(*value), text);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = choice_of(field, *value);
  }
  return *value;
}

template <class Value>
void assign(const OptionField& field, Value* target, std::string_view text) {
  *target = checked_value<Value>(field, text);
}

void assign(const OptionField& field, int64_t* target, std::string_view text) {
  const bool is_word = !field.number_word.empty() && text == field.number_word;
  *target = is_word ? field.word_number : checked_value<int64_t>(field, text);
}

void assign(const OptionField& field,
            const std::shared_ptr<EnumTarget>& target,
            std::string_view text) {
  target->set(checked_value<std::string>(field, text));
}

template <class Value>
void assign(const OptionField& field, std::vector<Value>* target, std::string_view text) {
  const bool numbers = !std::is_same_v<Value, std::string>;
  std::vector<Value> values;
  for (const std::string& item : split_list(text, numbers)) {
    values.push_back(checked_value<Value>(field, item));
  }
  *target = std::move(values);
}

}  // namespace

std::string option_key(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::string option_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string_view to_string(OptionOrigin origin) {
  constexpr std::array<std::string_view, 5> kNames = {
      "default", "preset", "config file", "checkpoint", "command line"};
  return kNames.at(static_cast<size_t>(origin));
}

OptionField& OptionField::in(double lowest, double highest) {
  low = lowest;
  high = highest;
  return *this;
}

OptionField& OptionField::at_least(double lowest) {
  low = lowest;
  return *this;
}

OptionField& OptionField::one_of(std::initializer_list<std::string_view> values) {
  choices.assign(values.begin(), values.end());
  return *this;
}

OptionField& OptionField::short_flag(std::string_view flag) {
  short_flags.emplace_back(flag);
  return *this;
}

OptionField& OptionField::alias(std::string_view other) {
  aliases.push_back(option_name(other));
  return *this;
}

OptionField& OptionField::former_name(std::string_view other) {
  former_names.push_back(option_name(other));
  return *this;
}

OptionField& OptionField::word(std::string_view text, int64_t number) {
  number_word = text;
  word_number = number;
  default_text = to_text();
  return *this;
}

OptionField& OptionField::value_name(std::string_view text) {
  metavariable = text;
  return *this;
}

OptionField& OptionField::required() {
  is_required = true;
  return *this;
}

OptionField& OptionField::positional() {
  is_positional = true;
  return *this;
}

OptionField& OptionField::writes_file() {
  writes = true;
  return *this;
}

OptionField& OptionField::harmless() {
  is_harmless = true;
  return *this;
}

OptionField& OptionField::bare_value(std::string_view value) {
  bare = value;
  return *this;
}

std::vector<std::string> OptionField::named_choices() const {
  std::vector<std::string> named = choices;
  std::erase(named, "");
  return named;
}

bool OptionField::holds_word() const {
  const auto* const number = std::get_if<int64_t*>(&target);
  return !number_word.empty() && number != nullptr && **number == word_number;
}

std::string OptionField::to_text() const {
  if (holds_word())
    return number_word;
  return std::visit([](const auto& value) { return text_of(*value); }, target);
}

void OptionField::from_text(std::string_view text, OptionOrigin new_origin) {
  std::visit([&](const auto& value) { assign(*this, value, text); }, target);
  origin = new_origin;
}

void OptionTable::section(std::string_view title) { section_ = title; }

OptionField& OptionTable::field(std::string_view name, bool& value, std::string_view help) {
  return add(OptionField(name, &value, help));
}
OptionField& OptionTable::field(std::string_view name, int64_t& value, std::string_view help) {
  return add(OptionField(name, &value, help));
}
OptionField& OptionTable::field(std::string_view name, double& value, std::string_view help) {
  return add(OptionField(name, &value, help));
}
OptionField& OptionTable::field(std::string_view name, std::string& value, std::string_view help) {
  return add(OptionField(name, &value, help));
}
OptionField& OptionTable::field(std::string_view name,
                                std::vector<int64_t>& value,
                                std::string_view help) {
  return add(OptionField(name, &value, help));
}
OptionField& OptionTable::field(std::string_view name,
                                std::vector<double>& value,
                                std::string_view help) {
  return add(OptionField(name, &value, help));
}
OptionField& OptionTable::field(std::string_view name,
                                std::vector<std::string>& value,
                                std::string_view help) {
  return add(OptionField(name, &value, help));
}

OptionField* OptionTable::find(std::string_view name) {
  return const_cast<OptionField*>(std::as_const(*this).find(name));
}

const OptionField* OptionTable::find(std::string_view name) const {
  const std::string wanted = option_name(name);
  for (const OptionField& field : fields_) {
    if (field.name == wanted)
      return &field;
  }
  for (const OptionField& field : fields_) {
    for (const auto* others : {&field.aliases, &field.former_names}) {
      if (std::find(others->begin(), others->end(), wanted) != others->end())
        return &field;
    }
  }
  return nullptr;
}

std::vector<std::string> OptionTable::names() const {
  std::vector<std::string> result;
  for (const OptionField& field : fields_) {
    result.push_back(field.name);
    result.insert(result.end(), field.aliases.begin(), field.aliases.end());
  }
  return result;
}

OptionField& OptionTable::add(OptionField field) {
  field.name = option_name(field.name);
  field.section = section_;
  field.default_text = field.to_text();
  if (const OptionField* other = find(field.name)) {
    throw PluginError(fmt::format("option --{} is defined twice: in '{}' and in '{}'",
                                  field.name,
                                  other->section,
                                  section_),
                      "Two components of one run must not share an option name.");
  }
  fields_.push_back(std::move(field));
  return fields_.back();
}

}  // namespace phraseq
