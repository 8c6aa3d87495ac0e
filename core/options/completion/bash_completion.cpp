#include "core/options/completion/bash_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/completion/shell_cases.h"

namespace phraseq {
namespace {

constexpr const char* kBashFunctions = R"--(
# Sets REPLY to the action for FLAG ("#0" = the first argument without a flag) in the scopes that
# the line has; empty = no scope knows it.
_phraseq_action() {
  local scope
  for scope in "${_phraseq_scopes[@]}"; do
    _phraseq_value "$scope" "$1"
    [[ -n $REPLY ]] && return
  done
}

# A component was selected: its options take the place of those of the default component.
_phraseq_select() {  # KIND NAME,...
  local kind=$1 scope name kept=() defaults=0
  for scope in "${_phraseq_scopes[@]}"; do [[ $scope == "$kind"/* ]] && ((++defaults)); done
  for scope in "${_phraseq_scopes[@]}"; do
    [[ $scope == "$kind"/* && $defaults == 1 ]] || kept+=("$scope")
  done
  _phraseq_scopes=("${kept[@]}")
  for name in ${2//,/ }; do _phraseq_scopes+=("$kind/${name//-/_}"); done
}

# Completes $cur by an action: "words a b", "file", "folder"; after a comma, the next item.
_phraseq_offer() {
  local action=${1#+} word before=
  case $action in
    words\ *)
      [[ $cur == *,* ]] && before=${cur%,*},
      for word in ${action#words }; do
        [[ $word == "${cur##*,}"* ]] && COMPREPLY+=("$before$word")
      done ;;
    names\ *)
      _phraseq_names "${action#names }"
      _phraseq_offer "words $REPLY" ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
  esac
}

_phraseq() {
  local cur=${COMP_WORDS[COMP_CWORD]} command word flag action= REPLY= i position=0
  local -a line=() _phraseq_scopes=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == "=" ]] || line+=("${COMP_WORDS[i]}")
  done
  [[ $cur == "=" ]] && cur=
  if [[ ${#line[@]} == 0 || ${line[0]} == help ]]; then
    [[ ${#line[@]} -le 1 ]] && _phraseq_offer "words $_phraseq_commands help --help --version"
    return
  fi
  command=${line[0]}
  _phraseq_defaults "$command"
  _phraseq_scopes=("$command" $REPLY)
  for word in "${line[@]:1}"; do
    if [[ $word == -?* && ! $word =~ ^-[0-9.] ]]; then
      flag=${word%%=*}
      REPLY=
      _phraseq_action "${flag//_/-}"
      action=$REPLY
      [[ $action == none ]] && action=
      if [[ $word == *=* ]]; then
        [[ ${action#+} == names\ * ]] && _phraseq_select "${action##* }" "${word#*=}"
        action=
      fi
    elif [[ -n $action ]]; then
      [[ ${action#+} == names\ * ]] && _phraseq_select "${action##* }" "$word"
      [[ $action == +* ]] || action=
    else
      ((++position))
    fi
  done
  if [[ $cur == -* ]]; then
    local scope
    for scope in "${_phraseq_scopes[@]}"; do
      _phraseq_flags "$scope"
      for word in $REPLY; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
      done
    done
    for word in --help --config --print-config; do
      [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
  elif [[ -n $action ]]; then
    _phraseq_offer "$action"
  else
    REPLY=
    _phraseq_action "#$position"
    _phraseq_offer "${REPLY:-file}"
  fi
}

complete -F _phraseq phraseq
)--";

/// Every function returns its result in REPLY.
constexpr const char* kBashSetup = "  REPLY=\n";

std::string bash_action_of(const CompletedOption& option) {
  const std::string mark = option.is_list ? "+" : "";
  switch (option.value) {
    case CompletedValue::kFile:
      return mark + "file";
    case CompletedValue::kFolder:
      return mark + "folder";
    case CompletedValue::kWords:
      return fmt::format("{}words {}", mark, fmt::join(option.words, " "));
    case CompletedValue::kNames:
      return fmt::format("{}names {}", mark, option.kind);
    case CompletedValue::kNone:
      break;
  }
  return option.is_switch ? "none" : mark + "number";
}

std::string flags_case(const CompletionScope& scope) {
  std::vector<std::string> flags;
  for (const CompletedOption& option : scope.options) {
    if (!option.is_positional || option.is_list)
      flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  }
  return fmt::format("    {}) REPLY='{}' ;;\n", case_pattern(scope), fmt::join(flags, " "));
}

std::string value_case(const CompletionScope& scope) {
  std::string text = fmt::format("    {})\n      case $2 in\n", case_pattern(scope));
  int position = 0;
  for (const CompletedOption& option : scope.options) {
    std::vector<std::string> keys = option.flags;
    if (option.is_positional && option.is_list)
      keys.emplace_back("'#'*");
    else if (option.is_positional)
      keys.push_back(fmt::format("'#{}'", position++));
    text +=
        fmt::format("        {}) REPLY='{}' ;;\n", fmt::join(keys, " | "), bash_action_of(option));
  }
  return text + "      esac ;;\n";
}

}  // namespace

std::string bash_completion(const CompletionModel& model) {
  std::vector<std::string> commands;
  for (const CompletionScope& command : model.commands) commands.push_back(command.names.front());
  std::string text = "# Completion of phraseq for bash; written by 'phraseq completion bash'.\n";
  text += fmt::format("\n_phraseq_commands='{}'\n", fmt::join(commands, " "));
  text += names_function(model);
  text += defaults_function(kBashSetup, model);
  text += "\n# The flags of a command or component.";
  text += case_function("_phraseq_flags", kBashSetup, model, flags_case);
  text += "\n# What follows a flag of a command or component.";
  text += case_function("_phraseq_value", kBashSetup, model, value_case);
  return text + kBashFunctions;
}

}  // namespace phraseq
