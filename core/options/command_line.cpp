#include "core/options/command_line.h"

#include <algorithm>
#include <map>
#include <optional>

#include <boost/program_options/cmdline.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/base/wording/message_text.h"
#include "core/options/argument_spelling.h"
#include "core/options/config_file.h"
#include "core/options/files/file_problems.h"
#include "core/options/value_text.h"

namespace phraseq {
namespace {

namespace po = boost::program_options;

constexpr const char* kUnexpected = "unexpected argument";
using Problems = std::vector<std::string>;

bool is_string_list(const OptionField& field) {
  return std::holds_alternative<std::vector<std::string>*>(field.target);
}

bool is_list(const OptionField& field) {
  return is_string_list(field) || std::holds_alternative<std::vector<double>*>(field.target) ||
         std::holds_alternative<std::vector<int64_t>*>(field.target);
}

void set(OptionField& field, const std::string& text, OptionOrigin origin, Problems& problems) {
  try {
    field.from_text(text, origin);
  } catch (const UsageError& failure) {
    problems.push_back(failure.message());
  }
}

/// The spelling of a name with which options are described.
std::string described_name(const std::string& name) { return split_flag("--" + name).name; }

std::string unknown_entry(const ConfigEntry& entry,
                          const OptionTable& table,
                          const ExplainOption& explain) {
  return unknown_option(fmt::format("'{}'", excerpt(entry.name)),
                        explain_option(described_name(entry.name), table, explain),
                        did_you_mean(excerpt(entry.name), table.names()));
}

void apply_config_file(OptionTable& table,
                       const std::string& path,
                       const ExplainOption& explain,
                       Problems& problems) {
  for (const ConfigEntry& entry : read_config_file(path, problems)) {
    const std::string place = fmt::format("{}:{}: ", path, entry.line);
    if (OptionField* field = table.find(entry.name)) {
      Problems found;
      set(*field, entry.value, OptionOrigin::kConfigFile, found);
      for (const std::string& problem : found) problems.push_back(place + problem);
    } else {
      problems.push_back(place + unknown_entry(entry, table, explain));
    }
  }
}

/// The options that take arguments without a flag; surplus arguments get the name kUnexpected.
po::positional_options_description positions_of(const OptionTable& table) {
  po::positional_options_description positions;
  for (const OptionField& field : table.fields()) {
    if (field.is_positional)
      positions.add(field.name.c_str(), is_list(field) ? -1 : 1);
    if (field.is_positional && is_list(field))
      return positions;
  }
  positions.add(kUnexpected, -1);
  return positions;
}

po::parsed_options parse_syntax(const OptionTable& table,
                                const std::vector<std::string>& arguments) {
  po::options_description description;
  for (const OptionField& field : table.fields()) {
    description.add_options()(
        field.name.c_str(), po::value<std::vector<std::string>>()->composing(), "");
  }
  description.add_options()(kUnexpected, po::value<std::vector<std::string>>()->composing(), "");
  namespace style = po::command_line_style;
  return po::command_line_parser(arguments)
      .options(description)
      .positional(positions_of(table))
      .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
      .run();
}

/// Adds the values given to one option as one text: the last value or, for a list, all values.
void gather(const OptionField& field,
            const po::option& option,
            std::map<std::string, std::string>& given) {
  const bool by_position = option.position_key >= 0;
  for (const std::string& value : option.value) {
    // An argument without a flag is one item, even if it contains commas.
    const std::string text =
        by_position && is_string_list(field) ? text_of(std::vector{value}) : value;
    const auto [entry, is_first] = given.try_emplace(field.name, text);
    if (is_first)
      continue;
    if (is_string_list(field) || (by_position && is_list(field))) {
      entry->second += "," + text;
    } else {
      entry->second = text;
    }
  }
}

/// Returns whether an unknown option was seen.
bool apply_arguments(OptionTable& table,
                     std::span<const std::string> arguments,
                     const ExplainOption& explain,
                     Problems& problems) {
  SpelledArguments spelled = spell_out(table, arguments, explain);
  problems.insert(problems.end(), spelled.problems.begin(), spelled.problems.end());
  std::map<std::string, std::string> given;
  try {
    for (const po::option& option : parse_syntax(table, spelled.arguments).options) {
      if (option.string_key == kUnexpected) {
        problems.push_back(fmt::format("unexpected argument '{}'", fmt::join(option.value, " ")));
      } else {
        gather(*table.find(option.string_key), option, given);
      }
    }
  } catch (const po::error& failure) {
    problems.emplace_back(failure.what());
  }
  for (OptionField& field : table.fields()) {
    const auto entry = given.find(field.name);
    if (entry != given.end())
      set(field, entry->second, OptionOrigin::kCommandLine, problems);
  }
  return spelled.has_unknown;
}

/// True if a value was given and rejected, so that it is not also reported as missing.
bool is_rejected(const OptionField& field, const Problems& problems) {
  const std::string subject = fmt::format("--{}: ", field.name);
  return std::ranges::any_of(problems, [&](const std::string& problem) {
    return problem.find(subject) != std::string::npos;
  });
}

/// A hint for a missing argument that a list may have consumed: a list of texts takes all values up
/// to the next option.
std::string taken_by_list(const OptionTable& table, std::span<const std::string> arguments) {
  for (const OptionField& field : table.fields()) {
    const auto* list = std::get_if<std::vector<std::string>*>(&field.target);
    if (list == nullptr || field.is_positional || field.origin != OptionOrigin::kCommandLine)
      continue;
    const std::vector<std::string>& items = **list;
    if (items.size() > 1 && std::ranges::find(arguments, items.back()) != arguments.end()) {
      return fmt::format(" Is it '{}'? --{} took it, with all values up to the next option.",
                         excerpt(items.back()),
                         field.name);
    }
  }
  return {};
}

void check_required(const OptionTable& table,
                    std::span<const std::string> arguments,
                    bool has_unknown,
                    Problems& problems) {
  for (const OptionField& field : table.fields()) {
    const bool is_given = field.origin != OptionOrigin::kDefault && !field.to_text().empty();
    if (!field.is_required || is_given || is_rejected(field, problems))
      continue;
    // The missing argument may have been read as the value of an unknown option.
    if (field.is_positional && has_unknown)
      continue;
    const std::string name =
        field.is_positional && !field.metavariable.empty() ? field.metavariable : "--" + field.name;
    const std::string taken = field.is_positional ? taken_by_list(table, arguments) : "";
    problems.push_back(fmt::format("{} is missing: {}{}", name, field.help, taken));
  }
}

[[noreturn]] void report(const Problems& problems) {
  constexpr const char* kHint = "--help lists the options.";
  if (problems.size() == 1)
    throw UsageError(problems.front(), kHint);
  throw UsageError(
      fmt::format(
          "{} problems with the options:\n    {}", problems.size(), fmt::join(problems, "\n    ")),
      kHint);
}

/// All values of `name` in the arguments (not in a file). After a flag, reads all values if
/// `is_list`, otherwise the first one.
std::vector<std::string> peek_arguments(std::span<const std::string> arguments,
                                        std::string_view name,
                                        bool is_list = false) {
  const std::string wanted = described_name(std::string(name));
  const auto is_value = [&](size_t i) {
    return i < arguments.size() && split_flag(arguments[i]).name.empty();
  };
  std::vector<std::string> values;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const SplitFlag flag = split_flag(arguments[i]);
    if (flag.one_dash || flag.name != wanted)
      continue;
    if (flag.has_value)
      values.push_back(flag.value);
    for (size_t j = i + 1; !flag.has_value && is_value(j) && (is_list || j == i + 1); ++j) {
      values.push_back(arguments[j]);
    }
  }
  return values;
}

using IsName = std::function<bool(const std::string& name)>;

/// Matches any spelling of one name.
IsName is_spelling_of(std::string_view name) {
  return [wanted = described_name(std::string(name))](const std::string& other) {
    return described_name(other) == wanted;
  };
}

/// Matches any name of the option that `table` describes.
IsName is_name_of(OptionTable& table, std::string_view name) {
  return [&table, field = table.find(name)](const std::string& other) {
    return field != nullptr && table.find(other) == field;
  };
}

/// The value of the option with that name in the file of --config.
std::optional<std::string> peek_config(std::span<const std::string> arguments,
                                       const IsName& is_name) {
  const auto config = peek_arguments(arguments, "config");
  if (config.empty())
    return std::nullopt;
  std::optional<std::string> result;
  Problems reported_when_parsed;
  for (const ConfigEntry& entry : read_config_file(config.back(), reported_when_parsed)) {
    if (is_name(entry.name))
      result = entry.value;
  }
  return result;
}

/// The items of the given values or, if there are none, of the value in the file of --config.
std::vector<std::string> list_of(std::vector<std::string> given,
                                 std::span<const std::string> arguments,
                                 const IsName& is_name) {
  if (given.empty())
    given.push_back(peek_config(arguments, is_name).value_or(""));
  std::vector<std::string> items;
  for (const std::string& value : given) {
    for (std::string& item : split_list(value, /*numbers=*/false)) items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

void parse_command_line(OptionTable& table,
                        std::span<const std::string> arguments,
                        const std::function<std::vector<std::string>()>& more_problems,
                        const ExplainOption& explain_unknown) {
  Problems problems;
  const auto config = peek_arguments(arguments, "config");
  if (!config.empty() && table.find("config") == nullptr) {
    apply_config_file(table, config.back(), explain_unknown, problems);
  }
  const bool config_is_read = problems.empty();
  const bool has_unknown = apply_arguments(table, arguments, explain_unknown, problems);
  if (config_is_read)  // otherwise, missing options may be in it
    check_required(table, arguments, has_unknown, problems);
  const auto add = [&problems](std::vector<std::string> more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  if (more_problems)
    add(more_problems());
  add(file_problems(table, config.empty() ? "" : config.back()));
  if (!problems.empty())
    report(problems);
}

std::string peek_option(std::span<const std::string> arguments,
                        std::string_view name,
                        std::string_view fallback) {
  const auto values = peek_arguments(arguments, name);
  if (!values.empty())
    return values.back();
  return peek_config(arguments, is_spelling_of(name)).value_or(std::string(fallback));
}

std::string peek_option(OptionTable& table,
                        std::span<const std::string> arguments,
                        std::string_view name,
                        std::string_view fallback) {
  const auto values = peek_arguments(spell_out(table, arguments).arguments, name);
  if (!values.empty())
    return values.back();
  return peek_config(arguments, is_name_of(table, name)).value_or(std::string(fallback));
}

std::vector<std::string> peek_list(std::span<const std::string> arguments, std::string_view name) {
  return list_of(
      peek_arguments(arguments, name, /*is_list=*/true), arguments, is_spelling_of(name));
}

std::vector<std::string> peek_list(OptionTable& table,
                                   std::span<const std::string> arguments,
                                   std::string_view name) {
  const auto spelled = spell_out(table, arguments).arguments;
  return list_of(peek_arguments(spelled, name), arguments, is_name_of(table, name));
}

bool peek_flag(std::span<const std::string> arguments, std::string_view name) {
  const std::string wanted = described_name(std::string(name));
  bool result = false;
  for (const std::string& argument : arguments) {
    if (argument == "--")
      break;
    const SplitFlag flag = split_flag(argument);
    if (wanted == "help" && argument == "-h")
      result = true;
    if (flag.one_dash)
      continue;
    if (flag.name == wanted)
      result = !flag.has_value || value_from_text<bool>(flag.value).value_or(true);
    if (flag.name == "no-" + wanted)
      result = false;
  }
  return result;
}

bool peek_flag(OptionTable& table, std::span<const std::string> arguments, std::string_view name) {
  return value_from_text<bool>(peek_option(table, arguments, name, "no")).value_or(false);
}

}  // namespace phraseq
