#include "core/options/argument_spelling.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/options/toolkits/toolkit_names.h"
#include "core/options/value_text.h"

namespace phraseq {
namespace {

bool is_number(std::string_view text) { return value_from_text<double>(text).has_value(); }

/// Whether an argument is a flag; "-1" and "-1,2" are values.
bool is_flag(std::string_view argument) {
  return argument.size() > 1 && argument[0] == '-' &&
         !std::ranges::all_of(split_list(argument, /*numbers=*/true), is_number);
}

/// One pass over the arguments; `next_` is the index of the first unread argument.
class Speller {
 public:
  Speller(OptionTable& table, std::span<const std::string> arguments, const ExplainOption& explain)
      : table_(table), arguments_(arguments), explain_(explain) {}

  SpelledArguments run() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        result_.arguments.push_back(argument);
        result_.arguments.insert(
            result_.arguments.end(), arguments_.begin() + next_, arguments_.end());
        break;
      }
      if (is_flag(argument)) {
        spell_flag(argument);
      } else {
        result_.arguments.push_back(argument);
      }
    }
    return std::move(result_);
  }

 private:
  void spell_flag(const std::string& argument) {
    const SplitFlag flag = split_flag(argument);
    if (OptionField* field = flag.one_dash ? find_short(flag.name) : table_.find(flag.name)) {
      spell_field(*field, flag);
    } else if (OptionField* negated = find_negated(flag)) {
      emit(*negated, "no");
    } else if (!is_general(flag)) {
      reject(argument, flag);
    }
  }

  void spell_field(const OptionField& field, const SplitFlag& flag) {
    if (flag.has_value) {
      emit(field, flag.value);
    } else if (std::holds_alternative<bool*>(field.target)) {
      const bool says_which = has_value_next() && value_from_text<bool>(arguments_[next_]);
      emit(field, says_which ? arguments_[next_++] : "yes");
    } else if (has_value_next()) {
      emit(field, arguments_[next_++]);
      const bool is_list = std::holds_alternative<std::vector<std::string>*>(field.target);
      while (is_list && has_value_next()) emit(field, arguments_[next_++]);
    } else if (!field.bare.empty()) {
      emit(field, field.bare);
    } else {
      result_.problems.push_back(fmt::format("--{}: a value is missing", field.name));
    }
  }

  void emit(const OptionField& field, const std::string& value) {
    if (value.empty()) {  // Boost accepts an empty value only as a separate argument
      result_.arguments.push_back("--" + field.name);
      result_.arguments.emplace_back();
    } else {
      result_.arguments.push_back(fmt::format("--{}={}", field.name, value));
    }
  }

  bool has_value_next() const { return next_ < arguments_.size() && !is_flag(arguments_[next_]); }

  OptionField* find_short(std::string_view name) {
    for (OptionField& field : table_.fields()) {
      const auto& flags = field.short_flags;
      if (std::find(flags.begin(), flags.end(), name) != flags.end())
        return &field;
    }
    return nullptr;
  }

  OptionField* find_negated(const SplitFlag& flag) {
    if (flag.one_dash || flag.has_value || !flag.name.starts_with("no-"))
      return nullptr;
    OptionField* field = table_.find(flag.name.substr(3));
    return field != nullptr && std::holds_alternative<bool*>(field->target) ? field : nullptr;
  }

  bool is_general(const SplitFlag& flag) {
    if (flag.one_dash)
      return flag.name == "h";
    if (flag.name == "config") {
      if (!flag.has_value && has_value_next()) {
        ++next_;
      } else if (!flag.has_value) {
        result_.problems.emplace_back("--config: a file name is missing");
      }
      return true;
    }
    return is_general_flag(flag.name);
  }

  void reject(const std::string& argument, const SplitFlag& flag) {
    std::vector<std::string> known;
    for (const std::string& name : table_.names()) known.push_back("--" + name);
    for (const OptionField& field : table_.fields()) {
      for (const std::string& name : field.short_flags) known.push_back("-" + name);
    }
    result_.problems.push_back(unknown_option(argument.substr(0, argument.find('=')),
                                              explain_option(flag.name, table_, explain_),
                                              did_you_mean("--" + flag.name, known)));
    result_.has_unknown = true;
    if (!flag.has_value && has_value_next())
      ++next_;  // probably its value
  }

  OptionTable& table_;
  std::span<const std::string> arguments_;
  const ExplainOption& explain_;
  size_t next_ = 0;
  SpelledArguments result_;
};

/// Throws if two options of a run have the same flag; names are checked when they are added to the
/// table.
void check_flags(const OptionTable& table) {
  std::map<std::string, const OptionField*> owners;
  const auto claim = [&](const std::string& flag, const OptionField& field) {
    const OptionField* owner = owners.try_emplace(flag, &field).first->second;
    if (owner == &field)
      return;
    throw PluginError(fmt::format("{} means --{} of '{}' as well as --{} of '{}'",
                                  flag,
                                  owner->name,
                                  owner->section,
                                  field.name,
                                  field.section),
                      "Two components of one run must not share an option name.");
  };
  for (const OptionField& field : table.fields()) {
    claim("--" + field.name, field);
    for (const std::string& other : field.aliases) claim("--" + other, field);
    for (const std::string& other : field.former_names) claim("--" + other, field);
    for (const std::string& flag : field.short_flags) claim("-" + flag, field);
  }
}

}  // namespace

bool is_general_flag(std::string_view name) {
  constexpr std::array<std::string_view, 4> kFlags = {
      "help", "help-markdown", "print-config", "version"};
  return std::ranges::find(kFlags, name) != kFlags.end();
}

SplitFlag split_flag(std::string_view argument) {
  SplitFlag flag;
  if (!is_flag(argument))
    return flag;
  flag.one_dash = argument[1] != '-';
  argument.remove_prefix(flag.one_dash ? 1 : 2);
  const size_t equals = argument.find('=');
  flag.has_value = equals != std::string_view::npos;
  flag.name = option_name(argument.substr(0, equals));
  if (flag.has_value)
    flag.value = argument.substr(equals + 1);
  return flag;
}

std::string explain_option(const std::string& name,
                           const OptionTable& table,
                           const ExplainOption& explain) {
  const std::string explanation = explain ? explain(name) : "";
  return explanation.empty() ? explain_toolkit_name(table, name) : explanation;
}

std::string unknown_option(std::string_view shown,
                           const std::string& explanation,
                           const std::string& guess) {
  const std::string& more = explanation.empty() ? guess : explanation;
  return fmt::format("unknown option {}{}{}", shown, more.empty() ? "" : "; ", more);
}

SpelledArguments spell_out(OptionTable& table,
                           std::span<const std::string> arguments,
                           const ExplainOption& explain) {
  check_flags(table);
  return Speller(table, arguments, explain).run();
}

}  // namespace phraseq
