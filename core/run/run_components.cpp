#include "core/run/run_components.h"

#include <fmt/format.h>

#include "core/base/wording/alternatives.h"
#include "core/base/wording/first_items.h"
#include "core/options/command_line.h"
#include "core/plugin/described_options.h"
#include "core/plugin/loader.h"

namespace phraseq {
namespace {

constexpr size_t kMaxNamed = 3;

bool has_option(const Component& component, const std::string& name) {
  DescribedOptions known(component);
  return known.table.find(name) != nullptr ||
         (name.starts_with("no-") && known.table.find(name.substr(3)) != nullptr);
}

std::vector<std::string> owners(const Registry& registry,
                                std::string_view kind,
                                const std::string& name) {
  std::vector<std::string> found;
  for (const Component* component : registry.components()) {
    if (component->kind == kind && has_option(*component, name))
      found.push_back(component->name);
  }
  return found;
}

std::string choice_text(const std::vector<std::string>& names) {
  return names.size() > kMaxNamed ? first_items(names, kMaxNamed, ", ") : alternatives(names);
}

}  // namespace

std::string owners_of_option(const Registry& registry,
                             std::span<const KindOption> kinds,
                             const std::string& name) {
  std::string text;
  for (const auto& [kind, option] : kinds) {
    const auto found = owners(registry, kind, name);
    if (!found.empty())
      text += fmt::format("{}--{} {}",
                          text.empty() ? "it is an option of " : ", and of ",
                          option,
                          choice_text(found));
  }
  return text;
}

std::unique_ptr<LoadedPlugins> load_plugins_for(std::span<const std::string> arguments) {
  auto loaded = std::make_unique<LoadedPlugins>();
  const auto given = peek_list(arguments, "plugin-dir");
  loaded->plugins = load_plugins(loaded->registry, plugin_search_path(given));
  return loaded;
}

}  // namespace phraseq
