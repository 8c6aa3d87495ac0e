#include "core/options/completion/completion_model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace phraseq {
namespace {

using nlohmann::json;

/// Options that take names of components but are not named after the kind.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNameOptions = {{
    {"--arch", "architecture"},
    {"--scoring", "metric"},
    {"--metrics", "metric"},
    {"--best-checkpoint-metric", "metric"},
    {"--bucket-metric", "metric"},
}};

/// The first sentence of a text, on one line.
std::string first_sentence(std::string_view text) {
  std::string line(text.substr(0, text.find_first_of(".;\n")));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

CompletedValue value_of(const json& option) {
  const std::string word = option.at("value");
  if (!option.at("choices").empty())
    return CompletedValue::kWords;
  if (word.starts_with("DIR") || word.starts_with("FOLDER"))
    return CompletedValue::kFolder;
  const bool is_number = option.at("type") == "integer" || option.at("type") == "number";
  return is_number || word.empty() ? CompletedValue::kNone : CompletedValue::kFile;
}

CompletedOption completed_option(const json& option) {
  CompletedOption result;
  result.flags = option.at("flags").get<std::vector<std::string>>();
  result.help = first_sentence(option.at("help").get<std::string>());
  result.value_name = option.at("value");
  result.value = value_of(option);
  result.is_list = option.at("list");
  result.is_positional = option.at("positional");
  result.is_switch = option.at("type") == "boolean";
  for (const auto& choice : option.at("choices")) {
    if (choice != "")
      result.words.push_back(choice);
  }
  if (option.at("default") == "yes" && result.is_switch)
    result.flags.push_back("--no-" + option.at("name").get<std::string>());
  return result;
}

/// The component that a section "KIND NAME" belongs to; null if there is none.
const CompletionScope* component_of(const std::string& section, const CompletionModel& model) {
  for (const CompletionScope& component : model.components) {
    for (const std::string& name : component.names) {
      if (section == component.kind + " " + name)
        return &component;
    }
  }
  return nullptr;
}

bool has_flag(const CompletionScope& scope, const std::string& flag) {
  return std::ranges::any_of(scope.options, [&](const CompletedOption& option) {
    return std::ranges::count(option.flags, flag) > 0;
  });
}

std::string kind_of(std::string_view command, const CompletedOption& option, const auto& kinds) {
  const std::string& flag = option.flags.front();
  if (command == "plugins" && flag == "--subject")
    return "any";
  for (const auto& [name, kind] : kNameOptions) {
    if (flag == name)
      return std::string(kind);
  }
  std::string kind = flag.substr(2);
  std::replace(kind.begin(), kind.end(), '-', '_');
  return std::find(kinds.begin(), kinds.end(), kind) == kinds.end() ? "" : kind;
}

void mark_options(CompletionScope& scope, const std::vector<std::string>& kinds) {
  const std::string command = scope.kind.empty() ? scope.names.front() : "";
  for (CompletedOption& option : scope.options) {
    if (option.is_switch || option.value == CompletedValue::kWords)
      continue;
    if (command == "plugins" && option.flags.front() == "--kind") {
      option.value = CompletedValue::kWords;
      option.words = kinds;
      continue;
    }
    option.kind = kind_of(command, option, kinds);
    if (!option.kind.empty())
      option.value = CompletedValue::kNames;
  }
}

/// The key of a component: "architecture/transformer".
std::string scope_key(const CompletionScope& scope) {
  return scope.kind.empty() ? scope.names.front() : scope.kind + "/" + scope.names.front();
}

}  // namespace

std::vector<std::string> CompletionModel::kinds() const {
  std::vector<std::string> kinds;
  for (const CompletionScope& component : components) kinds.push_back(component.kind);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

std::vector<std::string> CompletionModel::names(std::string_view kind) const {
  std::vector<std::string> names;
  for (const CompletionScope& component : components) {
    if (kind == "any" || component.kind == kind)
      names.insert(names.end(), component.names.begin(), component.names.end());
  }
  return names;
}

CompletionScope completed_command(const json& described, const CompletionModel& components) {
  CompletionScope scope;
  scope.names = {described.at("name")};
  scope.summary = first_sentence(described.at("description").get<std::string>());
  for (const json& option : described.at("options")) {
    const CompletionScope* owner = component_of(option.at("section"), components);
    CompletedOption own = completed_option(option);
    if (owner != nullptr)  // only the command's own names, such as sacrebleu's, remain
      std::erase_if(own.flags, [&](const std::string& flag) { return has_flag(*owner, flag); });
    if (!own.flags.empty())
      scope.options.push_back(std::move(own));
    if (owner != nullptr && std::ranges::count(scope.defaults, scope_key(*owner)) == 0)
      scope.defaults.push_back(scope_key(*owner));
  }
  return scope;
}

CompletionScope completed_component(const json& described,
                                    std::string kind,
                                    std::vector<std::string> names) {
  CompletionScope scope;
  scope.kind = std::move(kind);
  scope.names = std::move(names);
  scope.summary = described.at("description");
  for (const json& option : described.at("options"))
    scope.options.push_back(completed_option(option));
  return scope;
}

void mark_names(CompletionModel& model) {
  const auto kinds = model.kinds();
  for (auto* scopes : {&model.commands, &model.components}) {
    for (CompletionScope& scope : *scopes) mark_options(scope, kinds);
  }
}

}  // namespace phraseq
