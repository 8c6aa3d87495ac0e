#include "cli/plugins/listing.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/plugin/component_text.h"
#include "core/plugin/search_path_plugins.h"

namespace phraseq {
namespace {

/// Rejects a --kind of which there is no component; '-' and '_' in it are equivalent.
void check_kind(const Registry& registry, PluginsOptions& options) {
  std::replace(options.kind.begin(), options.kind.end(), '-', '_');
  std::vector<std::string> kinds;
  for (const Component* component : registry.components()) {
    if (kinds.empty() || kinds.back() != component->kind)
      kinds.push_back(component->kind);
  }
  if (options.kind.empty() || std::find(kinds.begin(), kinds.end(), options.kind) != kinds.end())
    return;
  const std::string guess = did_you_mean(options.kind, kinds);
  throw UsageError(fmt::format("--kind: '{}' is not one of {}{}{}",
                               options.kind,
                               fmt::join(kinds, ", "),
                               guess.empty() ? "" : "; ",
                               guess));
}

/// A line that `list` prints.
struct ListedName {
  std::string kind, name, description;
};

std::string presets_text(const Component& component) {
  const size_t count = component.presets.size();
  return count == 0 ? "" : fmt::format(" ({} preset{})", count, count == 1 ? "" : "s");
}

std::vector<ListedName> listed_names(const Registry& registry, const PluginsOptions& options) {
  std::vector<ListedName> names;
  for (const Component* component : registry.components()) {
    if (!options.kind.empty() && component->kind != options.kind)
      continue;
    names.push_back(
        {component->kind, component->name, component->description + presets_text(*component)});
    if (!options.presets)
      continue;
    for (const Preset& preset : component->presets) {
      names.push_back({component->kind,
                       preset.name,
                       fmt::format("{} (preset of {})", preset.description, component->name)});
    }
  }
  return names;
}

/// What `explain` prints about a name that belongs to this component or one of its presets;
/// otherwise nothing.
std::string text_about(const Component& component, const std::string& name) {
  if (component.name == name)
    return component_text(component);
  for (const Preset& preset : component.presets) {
    if (preset.name == name)
      return preset_text(component, preset);
  }
  return {};
}

[[noreturn]] void reject_unknown_subject(const std::string& subject,
                                         const std::vector<std::string>& known) {
  const std::string guess = did_you_mean(subject, known);
  throw UsageError(
      fmt::format(
          "no component or preset is called '{}'{}{}", subject, guess.empty() ? "" : "; ", guess),
      fmt::format("{}'phraseq plugins list --presets' lists all.", nearest_text(subject, known)));
}

}  // namespace

int list_plugins(PluginsOptions& options) {
  const SearchPathPlugins plugins(options.plugins.plugin_dir);
  const Registry& registry = plugins.registry;
  check_kind(registry, options);
  const auto names = listed_names(registry, options);
  size_t kind_width = 0, name_width = 0;
  for (const ListedName& listed : names) {
    kind_width = std::max(kind_width, listed.kind.size());
    name_width = std::max(name_width, listed.name.size());
  }
  for (const ListedName& listed : names) {
    fmt::print("{:<{}}  {:<{}}  {}\n",
               listed.kind,
               kind_width,
               listed.name,
               name_width,
               listed.description);
  }
  return plugins.report();
}

int explain_component(PluginsOptions& options) {
  const SearchPathPlugins plugins(options.plugins.plugin_dir);
  const Registry& registry = plugins.registry;
  check_kind(registry, options);
  std::replace(options.subject.begin(), options.subject.end(), '-', '_');
  std::vector<std::string> known;
  bool is_found = false;
  for (const Component* component : registry.components()) {
    if (!options.kind.empty() && component->kind != options.kind)
      continue;
    known.push_back(component->name);
    for (const Preset& preset : component->presets) known.push_back(preset.name);
    const std::string text = text_about(*component, options.subject);
    if (text.empty())
      continue;
    fmt::print("{}{}", is_found ? "\n" : "", text);
    is_found = true;
  }
  const int code = plugins.report();
  if (!is_found)
    reject_unknown_subject(options.subject, known);
  return code;
}

}  // namespace phraseq
