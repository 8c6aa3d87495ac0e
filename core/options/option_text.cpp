#include "core/options/option_text.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/options/config_file.h"
#include "core/options/option_help.h"
#include "core/options/value_text.h"

namespace phraseq {
namespace {

constexpr size_t kHelpColumn = 30;
constexpr size_t kLineWidth = 100;

/// `text` wrapped at the line width, with every line but the first indented to column `start`.
std::string wrapped(std::string_view text, const size_t start) {
  std::string result;
  size_t column = start;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column + 1 + word.size() > kLineWidth) {
      result += '\n' + std::string(start, ' ');
      column = start;
    } else if (column > start) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string help_entry(const OptionField& field) {
  std::string flags = "  " + flags_text(field);
  if (flags.size() + 2 > kHelpColumn) {
    flags += '\n' + std::string(kHelpColumn, ' ');
  } else {
    flags.resize(kHelpColumn, ' ');
  }
  const std::string details = details_text(field);
  const std::string help = details.empty() ? field.help : field.help + " " + details;
  return flags + wrapped(help, kHelpColumn) + '\n';
}

std::string markdown_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

/// The values that may follow the flag: "yes, no", "fp32, bf16", "N, 1 to 99".
std::string legal_values(const OptionField& field) {
  if (takes_no_value(field))
    return "yes, no";
  if (!field.choices.empty())
    return fmt::format("{}", fmt::join(field.named_choices(), ", "));
  const std::string name = placeholder_of(field);
  const std::string word = field.number_word.empty() ? "" : " or " + field.number_word;
  const std::string range = has_range(field) ? ", " + range_text(field.low, field.high) : "";
  return name + range + word;
}

std::string markdown_row(const OptionField& field) {
  std::string names;
  for (const std::string& flag : field.short_flags) names += fmt::format("`-{}` ", flag);
  const bool optional_flag = field.is_positional;
  names +=
      fmt::format("`{}--{}{}`", optional_flag ? "[" : "", field.name, optional_flag ? "]" : "");
  for (const std::string& other : field.aliases) names += fmt::format(" `--{}`", other);
  std::string help = field.help;
  if (!field.bare.empty())
    help += fmt::format(" Without a value: {}.", field.bare);
  const std::string shown = field.is_required            ? "required"
                            : field.default_text.empty() ? ""
                                                         : fmt::format("`{}`", field.default_text);
  return fmt::format("| {} | {} | {} | {} |\n",
                     names,
                     markdown_escaped(legal_values(field)),
                     shown,
                     markdown_escaped(help));
}

template <class Value>
nlohmann::json json_of(const Value& value) {
  return value;
}
nlohmann::json json_of(const EnumTarget& value) { return value.name(); }

nlohmann::json value_json(const OptionField& field) {
  if (field.holds_word())
    return field.number_word;
  return std::visit([](const auto& value) { return json_of(*value); }, field.target);
}

/// A JSON value as it would be written on the command line; throws UsageError if its type is wrong.
template <class Value>
std::string text_from_json(const nlohmann::json& json, const Value* /*type*/) {
  constexpr bool kFits = true;
  bool fits = !kFits;
  if constexpr (std::is_same_v<Value, bool>)
    fits = json.is_boolean();
  if constexpr (std::is_same_v<Value, int64_t>)
    fits = json.is_number_integer();
  if constexpr (std::is_same_v<Value, double>)
    fits = json.is_number();
  if constexpr (std::is_same_v<Value, std::string>)
    fits = json.is_string();
  if (!fits)
    throw UsageError(fmt::format("{} is not {}", json.dump(), type_name<Value>()));
  return text_of(json.get<Value>());
}

template <class Value>
std::string text_from_json(const nlohmann::json& json, const std::vector<Value>* /*type*/) {
  if (!json.is_array() && !json.is_object())  // recorded when the option was not a list
    return text_from_json(json, static_cast<const Value*>(nullptr));
  if (!json.is_array())
    throw UsageError(fmt::format("{} is not a list", json.dump()));
  for (const auto& item : json) text_from_json(item, static_cast<const Value*>(nullptr));
  return text_of(json.get<std::vector<Value>>());
}

std::string text_from_json(const nlohmann::json& json, const std::shared_ptr<EnumTarget>&) {
  return text_from_json(json, static_cast<const std::string*>(nullptr));
}

std::string text_from_json(const nlohmann::json& json, const OptionField& field) {
  if (!field.number_word.empty() && json == field.number_word)
    return field.number_word;
  return std::visit([&](const auto& target) { return text_from_json(json, target); }, field.target);
}

/// The value itself, even if the origin was recorded with it.
const nlohmann::json& plain_value(const nlohmann::json& json) {
  const bool has_origin = json.is_object() && json.contains("value");
  return has_origin ? json.at("value") : json;
}

/// A list equals its only item, because the option may not have been a list when it was recorded.
bool is_same(const nlohmann::json& recorded, const nlohmann::json& now) {
  if (now.is_array() && now.size() == 1 && !recorded.is_array())
    return recorded == now.front();
  return recorded == now;
}

}  // namespace

std::string help_text(const OptionTable& table,
                      std::string_view usage,
                      std::string_view description) {
  return fmt::format("Usage: {}\n\n{}\n{}", usage, wrapped(description, 0), options_text(table));
}

std::string options_text(const OptionTable& table) {
  std::string text;
  std::string section;
  for (const OptionField& field : table.fields()) {
    if (text.empty() || field.section != section) {
      section = field.section;
      text += fmt::format("\n{}:\n", section.empty() ? "Options" : section);
    }
    text += help_entry(field);
  }
  return text;
}

std::string print_config(const OptionTable& table) {
  std::string text;
  std::string section;
  for (const OptionField& field : table.fields()) {
    if (field.section != section) {
      section = field.section;
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    }
    // A default is commented out, because reading it would make it a given value, which data and
    // presets could not change.
    text += fmt::format("{}{} = {}  # {}\n",
                        field.origin == OptionOrigin::kDefault ? "# " : "",
                        field.name,
                        config_value(field.to_text()),
                        to_string(field.origin));
  }
  return text;
}

std::string markdown_text(const OptionTable& table,
                          std::string_view title,
                          std::string_view description) {
  std::string text = fmt::format("# {}\n\n{}\n", title, description);
  std::string section;
  bool is_first = true;
  for (const OptionField& field : table.fields()) {
    if (is_first || field.section != section) {
      section = field.section;
      if (!section.empty())
        text += fmt::format("\n## {}\n", section);
      text += "\n| option | value | default | meaning |\n| --- | --- | --- | --- |\n";
      is_first = false;
    }
    text += markdown_row(field);
  }
  return text;
}

nlohmann::json to_json(const OptionTable& table, bool with_origin) {
  nlohmann::json json = nlohmann::json::object();
  for (const OptionField& field : table.fields()) {
    auto value = value_json(field);
    if (with_origin)
      value = {{"value", std::move(value)}, {"origin", to_string(field.origin)}};
    json[option_key(field.name)] = std::move(value);
  }
  return json;
}

void from_json(OptionTable& table, const nlohmann::json& json, OptionOrigin origin) {
  if (!json.is_object())
    throw FormatError("recorded options are not a JSON object");
  std::vector<std::string> problems;
  for (const auto& [key, value] : json.items()) {
    OptionField* field = table.find(key);
    if (field == nullptr) {
      const std::string guess = did_you_mean(key, table.names());
      problems.push_back(
          fmt::format("unknown option '{}'{}{}", key, guess.empty() ? "" : "; ", guess));
      continue;
    }
    try {
      const auto& plain = plain_value(value);
      field->from_text(text_from_json(plain, *field), origin);
    } catch (const UsageError& failure) {
      problems.push_back(fmt::format("{}: {}", key, failure.message()));
    }
  }
  if (problems.empty())
    return;
  throw FormatError(
      fmt::format("recorded options are not valid:\n    {}", fmt::join(problems, "\n    ")));
}

void take_own_values(const nlohmann::json& values, Options& options) {
  OptionTable table;
  options.describe(table);
  nlohmann::json own = nlohmann::json::object();
  for (const OptionField& field : table.fields()) {
    if (const auto value = values.find(option_key(field.name)); value != values.end())
      own[value.key()] = *value;
  }
  from_json(table, own, OptionOrigin::kCheckpoint);
}

std::vector<std::string> differences(const OptionTable& now,
                                     const nlohmann::json& recorded,
                                     std::span<const std::string> allowed) {
  std::vector<std::string> result;
  for (const OptionField& field : now.fields()) {
    const bool is_allowed = std::find(allowed.begin(), allowed.end(), field.name) != allowed.end();
    if (field.is_harmless || is_allowed)
      continue;
    const auto entry = recorded.find(option_key(field.name));
    if (entry == recorded.end()) {
      if (field.to_text() == field.default_text)
        continue;  // an option newer than the record, and not used
      result.push_back(fmt::format("{}: was not recorded, now {}", field.name, field.to_text()));
    } else if (!is_same(plain_value(*entry), value_json(field))) {
      result.push_back(fmt::format(
          "{}: was {}, now {}", field.name, plain_value(*entry).dump(), value_json(field).dump()));
    }
  }
  return result;
}

}  // namespace phraseq
