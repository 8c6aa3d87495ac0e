#include "core/plugin/registry.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/base/wording/close_matches.h"
#include "core/options/fairseq/component_names.h"
#include "core/plugin/component_call.h"
#include "core/plugin/described_options.h"

namespace phraseq {
namespace {

/// The name under which a component is registered: '-' is equivalent to '_', as in the names of
/// options.
std::string registered_name(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

std::string origin_of(const Component& component) {
  return component.file.empty() ? "this program" : component.file;
}

const Preset* find_preset(const Component& component, std::string_view name) {
  for (const Preset& preset : component.presets) {
    if (preset.name == name)
      return &preset;
  }
  return nullptr;
}

/// Selects a component; applies the preset if there is one.
Selection selection_of(const Component& component, const std::string& name, const Preset* preset) {
  return call_component(component, "making its options", [&] {
    Selection selection{&component, name, component.make_options()};
    if (preset != nullptr) {
      preset->apply(*selection.options);
      selection.training = preset->training;
    }
    return selection;
  });
}

/// What one of the functions of Options says about the selected component's options.
std::vector<std::string> sentences_of(const Selection& selection,
                                      std::vector<std::string> (Options::*say)() const) {
  if (selection.component == nullptr)
    return {};
  return call_component(
      *selection.component, "checking its options", [&] { return (*selection.options.*say)(); });
}

}  // namespace

bool is_valid_name(std::string_view name, std::string_view marks) {
  const auto fits = [&](char c) {
    return is_ascii_lower(c) || is_ascii_digit(c) || marks.find(c) != std::string_view::npos;
  };
  return !name.empty() && is_ascii_lower(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

void Registry::check_name(const Component& component, const std::string& name) const {
  if (!is_valid_name(name, "_+")) {
    throw PluginError(
        fmt::format(
            "{}: '{}' is not a valid name for a {}", origin_of(component), name, component.kind),
        "Names consist of lowercase letters, digits, '_' and '+', and start with a letter.");
  }
  for (const auto& [key, other] : components_) {
    if (other.kind != component.kind)
      continue;
    if (other.name != name && find_preset(other, name) == nullptr)
      continue;
    if (!component.file.empty() && other.file == component.file) {
      throw PluginError(
          fmt::format(
              "{}: {} '{}' is registered twice", origin_of(component), component.kind, name),
          "Register it once, or rename one of the two.");
    }
    throw PluginError(fmt::format("{} '{}' is registered twice: by {} and by {}",
                                  component.kind,
                                  name,
                                  origin_of(other),
                                  origin_of(component)),
                      "Remove one of the two plugins, or rename its component.");
  }
}

void Registry::add(Component component) {
  if (frozen_) {
    throw PluginError(
        fmt::format("{} '{}' is registered too late: names have already been looked up",
                    component.kind,
                    component.name),
        "All plugins must be loaded before the first component is selected.");
  }
  if (current_plugin_ != nullptr) {
    component.plugin = current_plugin_->name;
    component.plugin_version = current_plugin_->version;
    component.file = current_plugin_->file;
  }
  check_name(component, component.name);
  std::set<std::string> own = {component.name};
  for (const Preset& preset : component.presets) {
    check_name(component, preset.name);
    if (own.insert(preset.name).second)
      continue;
    throw PluginError(fmt::format("{}: {} '{}' has two presets with the name '{}'",
                                  origin_of(component),
                                  component.kind,
                                  component.name,
                                  preset.name));
  }
  auto key = std::make_pair(component.kind, component.name);
  components_.emplace(std::move(key), std::move(component));
}

void Registry::add_plugin(const LoadedPlugin& plugin,
                          const std::function<void(Registry&)>& register_components) {
  for (const LoadedPlugin& other : plugins_) {
    if (other.file == plugin.file)
      return;
  }
  const auto failed = [&](std::string_view what) {
    std::erase_if(components_, [&](const auto& it) { return it.second.file == plugin.file; });
    current_plugin_ = nullptr;
    return PluginError(fmt::format("plugin '{}' ({}) failed while registering its components: {}",
                                   plugin.name,
                                   plugin.file,
                                   what));
  };
  current_plugin_ = &plugin;
  try {
    register_components(*this);
  } catch (const std::exception& failure) {
    throw failed(failure.what());
  } catch (...) {
    throw failed("an exception that does not derive from std::exception was thrown");
  }
  current_plugin_ = nullptr;
  plugins_.push_back(plugin);
}

Selection Registry::select(std::string_view kind, std::string_view name) const {
  auto selection = find(kind, name);
  if (!selection)
    reject_unknown(kind, name);
  return std::move(*selection);
}

std::optional<Selection> Registry::find(std::string_view kind, std::string_view asked_for) const {
  frozen_ = true;
  const std::string name = registered_name(asked_for);
  for (const auto& [key, component] : components_) {
    if (component.kind != kind)
      continue;
    const Preset* chosen = find_preset(component, name);
    if (component.name != name && chosen == nullptr)
      continue;
    return selection_of(component, name, chosen);
  }
  return std::nullopt;
}

void Registry::reject_unknown(std::string_view kind, std::string_view name) const {
  const auto known = names(kind);
  const std::string guess = did_you_mean(name, known);
  const std::string_view in_fairseq = fairseq::reason_without(kind, name);
  std::string hint = in_fairseq.empty()
                         ? ""
                         : fmt::format("fairseq's {} is not available: {}.\n  ", name, in_fairseq);
  hint += known.empty() ? fmt::format("No loaded plugin provides a {}.", kind)
                        : fmt::format("{}'phraseq plugins list --kind {} --presets' lists all {}.",
                                      nearest_text(name, known),
                                      kind,
                                      known.size());
  hint += fmt::format(
      "\n  {} loaded; add folders with --plugin-dir or PHRASEQ_PLUGIN_PATH.",
      plugins_.size() == 1 ? "1 plugin is" : fmt::format("{} plugins are", plugins_.size()));
  throw UsageError(fmt::format("unknown {} '{}'{}{}", kind, name, guess.empty() ? "" : "; ", guess),
                   hint);
}

std::vector<const Component*> Registry::components() const {
  std::vector<const Component*> result;
  for (const auto& [key, component] : components_) result.push_back(&component);
  return result;
}

std::vector<std::string> Registry::names(std::string_view kind) const {
  std::vector<std::string> result;
  for (const auto& [key, component] : components_) {
    if (component.kind != kind)
      continue;
    result.push_back(component.name);
    for (const Preset& preset : component.presets) result.push_back(preset.name);
  }
  return result;
}

void describe(OptionTable& table, const Selection& selection) {
  const Component& component = *selection.component;
  const DescribedOptions plain(component);
  table.section(fmt::format("{} {}", component.kind, component.name));
  add_described(table, selection);
  for (const OptionField& field : plain.table.fields()) {
    OptionField* ours = table.find(field.name);
    if (ours == nullptr || ours->default_text == field.default_text)
      continue;
    ours->default_text = field.default_text;
    ours->origin = OptionOrigin::kPreset;
  }
}

void add_described(OptionTable& table, const Selection& selection) {
  describe_options(*selection.component, *selection.options, table);
}

OptionTable described(const Selection& selection) {
  OptionTable table;
  add_described(table, selection);
  return table;
}

std::vector<std::string> problems_of(const Selection& selection) {
  return sentences_of(selection, &Options::problems);
}

std::vector<std::string> without_effect_of(const Selection& selection) {
  return sentences_of(selection, &Options::without_effect);
}

void add_problems_of(const Selection& selection, std::vector<std::string>& problems) {
  for (auto& problem : problems_of(selection)) problems.push_back(std::move(problem));
}

}  // namespace phraseq
