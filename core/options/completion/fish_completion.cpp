#include "core/options/completion/fish_completion.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq {
namespace {

constexpr const char* kFishFunctions = R"--(
function __phraseq_command --description 'whether the command is one of the arguments'
    set -l line (commandline -opc)
    test (count $line) -gt 1; and contains -- $line[2] $argv
end

function __phraseq_values --description 'what the flags of a kind were given on the line'
    set -l line (commandline -opc)
    set -l flags (__phraseq_selectors $argv[1])
    set -l is_value no
    for word in $line
        if test $is_value = yes
            string replace --all -- - _ (string split -- , $word)
            set is_value no
        else if contains -- $word $flags
            set is_value yes
        else if string match --quiet -- '*=*' $word
            set -l parts (string split --max 1 -- = $word)
            contains -- $parts[1] $flags; and string replace --all -- - _ (string split -- , $parts[2])
        end
    end
end

function __phraseq_uses --description 'whether the line uses a component: KIND NAME PRESETS...'
    set -l line (commandline -opc)
    test (count $line) -gt 1; or return 1
    contains -- $line[2] (__phraseq_commands_with $argv[1]); or return 1
    set -l defaults (string match -- "$argv[1]/*" (__phraseq_defaults $line[2]))
    set -l values (__phraseq_values $argv[1])
    for value in $values
        contains -- $value $argv[2..-1]; and return 0
    end
    if test (count $values) -gt 0 -a (count $defaults) -le 1
        return 1
    end
    contains -- $argv[1]/$argv[2] $defaults
end
)--";

std::string fish_in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "'";
}

std::string value_words(const CompletedOption& option, const CompletionModel& model) {
  switch (option.value) {
    case CompletedValue::kFile:
      return " -r -F";
    case CompletedValue::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case CompletedValue::kWords:
      return " -x -a " + fish_in_quotes(fmt::format("{}", fmt::join(option.words, " ")));
    case CompletedValue::kNames:
      return " -x -a " +
             fish_in_quotes(fmt::format("{}", fmt::join(model.names(option.kind), " ")));
    case CompletedValue::kNone:
      break;
  }
  return option.is_switch ? "" : " -x";
}

/// An option's flags as arguments of fish's complete: "-l arch -s a"; "-tok" is an old-style flag.
std::string flag_words(const CompletedOption& option) {
  std::string words;
  for (const std::string& flag : option.flags) {
    if (flag.starts_with("--"))
      words += " -l " + flag.substr(2);
    else
      words += (flag.size() == 2 ? " -s " : " -o ") + flag.substr(1);
  }
  return words;
}

std::string lines_of(const CompletionScope& scope, const CompletionModel& model) {
  const std::string condition =
      scope.kind.empty()
          ? "__phraseq_command " + scope.names.front()
          : fmt::format("__phraseq_uses {} {}", scope.kind, fmt::join(scope.names, " "));
  std::string text;
  for (const CompletedOption& option : scope.options) {
    std::string words = flag_words(option);
    std::string values = value_words(option, model);
    if (option.is_positional) {
      const bool has_words = values.starts_with(" -x -a");
      if (!has_words)
        continue;
      words = "";
      values = " -f" + values.substr(3);
    }
    text += fmt::format("complete -c phraseq -n {}{}{} -d {}\n",
                        fish_in_quotes(condition),
                        words,
                        values,
                        fish_in_quotes(option.help));
  }
  return text;
}

/// By kind of component: the flags that select one, and the commands that have such a flag.
struct Selectors {
  std::map<std::string, std::set<std::string>> flags, commands;
};

Selectors selectors_of(const CompletionModel& model) {
  Selectors selectors;
  for (const auto* scopes : {&model.commands, &model.components}) {
    for (const CompletionScope& scope : *scopes) {
      for (const CompletedOption& option : scope.options) {
        if (option.value != CompletedValue::kNames || option.is_positional)
          continue;
        selectors.flags[option.kind].insert(option.flags.begin(), option.flags.end());
        if (scope.kind.empty())
          selectors.commands[option.kind].insert(scope.names.front());
      }
    }
  }
  for (const CompletionScope& command : model.commands) {
    for (const std::string& used : command.defaults)
      selectors.commands[used.substr(0, used.find('/'))].insert(command.names.front());
  }
  return selectors;
}

std::string switch_function(const char* name, const std::map<std::string, std::string>& answers) {
  std::string text = fmt::format("\nfunction {}\n    switch $argv[1]\n", name);
  for (const auto& [key, answer] : answers)
    text += fmt::format(
        "        case {}\n            string split ' ' -- {}\n", key, fish_in_quotes(answer));
  return text + "    end\nend\n";
}

std::string tables_of(const CompletionModel& model) {
  const Selectors selectors = selectors_of(model);
  std::map<std::string, std::string> flags, commands, defaults;
  for (const auto& [kind, values] : selectors.flags)
    flags[kind] = fmt::format("{}", fmt::join(values, " "));
  for (const auto& [kind, values] : selectors.commands)
    commands[kind] = fmt::format("{}", fmt::join(values, " "));
  for (const CompletionScope& command : model.commands) {
    if (!command.defaults.empty())
      defaults[command.names.front()] = fmt::format("{}", fmt::join(command.defaults, " "));
  }
  return switch_function("__phraseq_selectors", flags) +
         switch_function("__phraseq_commands_with", commands) +
         switch_function("__phraseq_defaults", defaults);
}

}  // namespace

std::string fish_completion(const CompletionModel& model) {
  std::string text = "# Completion of phraseq for fish; written by 'phraseq completion fish'.\n";
  text += tables_of(model);
  text += kFishFunctions;
  text += "\ncomplete -c phraseq -n __fish_use_subcommand -f -l help -d 'show the commands'\n";
  text += "complete -c phraseq -n __fish_use_subcommand -f -l version -d 'show the version'\n";
  text += "complete -c phraseq -n 'not __fish_use_subcommand' -l help -d 'show the options'\n";
  for (const CompletionScope& command : model.commands) {
    const std::string name = command.names.front();
    text += fmt::format("complete -c phraseq -n __fish_use_subcommand -f -a {} -d {}\n",
                        name,
                        fish_in_quotes(command.summary));
    text += fmt::format("complete -c phraseq -n '__phraseq_command help' -f -a {}\n", name);
  }
  for (const auto* scopes : {&model.commands, &model.components}) {
    for (const CompletionScope& scope : *scopes) text += lines_of(scope, model);
  }
  return text;
}

}  // namespace phraseq
