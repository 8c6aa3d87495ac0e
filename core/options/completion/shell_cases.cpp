#include "core/options/completion/shell_cases.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq {

std::string case_pattern(const CompletionScope& scope) {
  std::vector<std::string> patterns;
  for (const std::string& name : scope.names)
    patterns.push_back(scope.kind.empty() ? name : scope.kind + "/" + name);
  return fmt::format("{}", fmt::join(patterns, " | "));
}

std::string case_function(std::string_view name,
                          std::string_view setup,
                          const CompletionModel& model,
                          const std::function<std::string(const CompletionScope&)>& one) {
  std::string text = fmt::format("\n{}() {{\n{}  case $1 in\n", name, setup);
  for (const auto* scopes : {&model.commands, &model.components}) {
    for (const CompletionScope& scope : *scopes) text += one(scope);
  }
  return text + "  esac\n}\n";
}

std::string names_function(const CompletionModel& model) {
  std::string text = "\n# Components and presets of a kind.\n_phraseq_names() {\n  case $1 in\n";
  auto kinds = model.kinds();
  kinds.emplace_back("any");
  for (const std::string& kind : kinds)
    text += fmt::format("    {}) REPLY='{}' ;;\n", kind, fmt::join(model.names(kind), " "));
  return text + "  esac\n}\n";
}

std::string defaults_function(std::string_view setup, const CompletionModel& model) {
  const auto defaults = [](const CompletionScope& scope) {
    return scope.defaults.empty() ? ""
                                  : fmt::format("    {}) REPLY='{}' ;;\n",
                                                case_pattern(scope),
                                                fmt::join(scope.defaults, " "));
  };
  return "\n# The components that a command uses by default." +
         case_function("_phraseq_defaults", setup, model, defaults);
}

}  // namespace phraseq
