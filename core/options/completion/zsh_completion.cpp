#include "core/options/completion/zsh_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/completion/shell_cases.h"

namespace phraseq {
namespace {

constexpr const char* kZshFunctions = R"--(
# _arguments calls it as the action of an option that takes names of components.
_phraseq_complete_names() {
  local kind=${@[-1]} REPLY=
  _phraseq_names $kind
  compset -P '*,'
  compadd "${@[1,-2]}" -- ${=REPLY}
}

# Sets REPLY to the kind of component that FLAG selects; empty = none.
_phraseq_selected_kind() {
  local scope
  for scope in $scopes; do
    _phraseq_selector $scope $1
    [[ -n $REPLY ]] && return
  done
}

# The scopes of the line: the command, and the components that were selected or are the default.
_phraseq_scopes() {
  local word flag value kind scope REPLY= i
  _phraseq_defaults $words[1]
  scopes=($words[1] ${=REPLY})
  for ((i = 2; i < CURRENT; ++i)); do
    word=$words[i]
    [[ $word == -* ]] || continue
    flag=${word%%=*}
    REPLY=
    _phraseq_selected_kind ${flag//_/-}
    kind=$REPLY
    [[ -n $kind ]] || continue
    value=$words[i+1]
    [[ $word == *=* ]] && value=${word#*=}
    [[ ${#${(M)scopes:#$kind/*}} == 1 ]] && scopes=(${scopes:#$kind/*})
    for value in ${(s:,:)value}; do scopes+=($kind/${value//-/_}); done
  done
}

_phraseq() {
  local curcontext=$curcontext state state_descr line
  local -a scopes specs
  local -A opt_args
  _arguments -C '(- *)--help[show the commands]' '(- *)--version[show the version]' \
    '1:command:_phraseq_complete_commands' '*::argument:->argument' && return
  [[ $state == argument ]] || return
  if [[ $words[1] == help ]]; then
    _arguments '1:command:_phraseq_complete_commands'
    return
  fi
  _phraseq_scopes
  local scope
  for scope in $scopes; do _phraseq_specs $scope; done
  _arguments $specs '--help[show the options]' '--config=[read options from a file]:FILE:_files' \
    '--print-config[print all options with their values]'
}

if [[ $funcstack[1] == _phraseq ]]; then
  _phraseq "$@"
else
  compdef _phraseq phraseq
fi
)--";

std::string zsh_in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Escapes text within the brackets or between the colons of a specification for _arguments.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action_of(const CompletedOption& option) {
  switch (option.value) {
    case CompletedValue::kFile:
      return "_files";
    case CompletedValue::kFolder:
      return "_files -/";
    case CompletedValue::kWords:
      return fmt::format("({})", fmt::join(option.words, " "));
    case CompletedValue::kNames:
      return "_phraseq_complete_names " + option.kind;
    case CompletedValue::kNone:
      break;
  }
  return " ";
}

std::string message_of(const CompletedOption& option) {
  const bool is_choice = option.value == CompletedValue::kWords;
  return is_choice || option.value_name.empty() ? "value" : option.value_name;
}

/// The specifications of an option, one for each flag. They exclude one another unless the option
/// is a list.
std::vector<std::string> specs_of(const CompletedOption& option) {
  std::vector<std::string> specs;
  const std::string excluded =
      option.is_list ? "*" : fmt::format("({})", fmt::join(option.flags, " "));
  for (const std::string& flag : option.flags) {
    std::string spec = excluded + flag;
    if (!option.is_switch && flag.starts_with("--"))
      spec += '=';
    spec += fmt::format("[{}]", escaped(option.help));
    if (!option.is_switch)
      spec += fmt::format(":{}:{}", escaped(message_of(option)), zsh_action_of(option));
    specs.push_back(zsh_in_quotes(spec));
  }
  return specs;
}

std::string specs_case(const CompletionScope& scope) {
  std::vector<std::string> specs;
  int position = 0;
  for (const CompletedOption& option : scope.options) {
    if (option.is_positional) {
      const std::string place = option.is_list ? "*" : std::to_string(++position);
      specs.push_back(zsh_in_quotes(
          fmt::format("{}:{}:{}", place, escaped(message_of(option)), zsh_action_of(option))));
      continue;
    }
    for (std::string& spec : specs_of(option)) specs.push_back(std::move(spec));
  }
  return fmt::format("    {})\n      specs+=(\n        {}) ;;\n",
                     case_pattern(scope),
                     fmt::join(specs, "\n        "));
}

/// A case with the flags that select components, and their kinds.
std::string selector_case(const CompletionScope& scope) {
  std::string text;
  for (const CompletedOption& option : scope.options) {
    if (option.value == CompletedValue::kNames && !option.is_positional)
      text += fmt::format("{}) REPLY={} ;; ", fmt::join(option.flags, " | "), option.kind);
  }
  return text.empty() ? ""
                      : fmt::format("    {}) case $2 in {}esac ;;\n", case_pattern(scope), text);
}

std::string commands_function(const CompletionModel& model) {
  std::string text = "\n_phraseq_complete_commands() {\n  local -a commands=(\n";
  for (const CompletionScope& command : model.commands)
    text += fmt::format("    {}\n",
                        zsh_in_quotes(command.names.front() + ":" + escaped(command.summary)));
  return text + "  )\n  _describe command commands\n}\n";
}

}  // namespace

std::string zsh_completion(const CompletionModel& model) {
  std::string text =
      "#compdef phraseq\n\n# Completion of phraseq for zsh; written by 'phraseq completion zsh'.\n";
  text += commands_function(model);
  text += names_function(model);
  text += defaults_function("", model);
  text += "\n# The kind of component that a flag selects.";
  text += case_function("_phraseq_selector", "", model, selector_case);
  text += "\n# The options of a command or component for _arguments.";
  text += case_function("_phraseq_specs", "", model, specs_case);
  return text + kZshFunctions;
}

}  // namespace phraseq
