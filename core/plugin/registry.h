#pragma once

#include <any>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/api.h"
#include "core/base/error.h"
#include "core/base/out_of_memory.h"
#include "core/options/option_table.h"
#include "core/plugin/training_defaults.h"

namespace phraseq {

/// A named set of values over a component's options: `--arch transformer_big` is the architecture
/// `transformer` with the preset applied before the command line is read.
struct Preset {
  std::string name;
  std::string description;
  std::function<void(Options&)> apply;
  TrainingDefaults training = {};
};

/// A component that a plugin offers under a name.
struct Component {
  std::string kind;  ///< "architecture", "criterion" …: the interface's kKind
  std::string name;
  std::string description;
  std::function<std::unique_ptr<Options>()> make_options;
  std::vector<Preset> presets;
  std::any factory;  ///< the interface's Factory type
  // Of the plugin, filled in by the registry; empty for a component of this program:
  std::string plugin;  ///< its name
  std::string plugin_version;
  std::string file;  ///< its shared library
};

/// One shared library that was loaded.
struct LoadedPlugin {
  std::string name;
  std::string version;
  std::string description;
  std::string file;
};

/// A component selected by name (or by a preset's name) with its options: the defaults, overridden
/// by the preset's values.
struct Selection {
  const Component* component = nullptr;
  std::string name;  ///< as requested: the component's or the preset's
  std::unique_ptr<Options> options;
  TrainingDefaults training = {};  ///< the preset's
};

/// Every component that the loaded plugins offer. Rejects a second component of the same kind and
/// name. It is frozen by the first lookup, so the meaning of a name cannot change within a run.
class PHRASEQ_API Registry {
 public:
  /// Throws PluginError for a duplicate (naming both files) or if the registry is frozen.
  void add(Component component);

  /// Registers `Implementation` of `Interface`, made from its options struct and the interface's
  /// setup: `Implementation(const OptionsType&, const Interface::Setup&)`.
  template <class Interface, class Implementation, class OptionsType>
  void add(std::string name, std::string description, std::vector<Preset> presets = {}) {
    typename Interface::Factory factory = [](const Options& options,
                                             const typename Interface::Setup& setup) {
      return std::make_unique<Implementation>(dynamic_cast<const OptionsType&>(options), setup);
    };
    Component component;
    component.kind = Interface::kKind;
    component.name = std::move(name);
    component.description = std::move(description);
    component.make_options = [] { return std::make_unique<OptionsType>(); };
    component.presets = std::move(presets);
    component.factory = std::any(std::move(factory));
    add(std::move(component));
  }

  /// Returns the component of this name, or the component that has a preset of this name, with the
  /// preset applied. Throws a UsageError that suggests the three nearest names of the kind and the
  /// command that lists all of them.
  Selection select(std::string_view kind, std::string_view name) const;
  /// Does the same, but returns nothing if there is no such name.
  std::optional<Selection> find(std::string_view kind, std::string_view name) const;
  std::vector<const Component*> components() const;  ///< by kind, then name
  std::vector<std::string> names(std::string_view kind) const;

  /// Runs a plugin's register function. Adds either all of the plugin's components or, if the
  /// function throws, none; its exception becomes a PluginError that names the plugin. A file that
  /// was added before is not added again.
  void add_plugin(const LoadedPlugin& plugin,
                  const std::function<void(Registry&)>& register_components);
  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }

 private:
  void check_name(const Component& component, const std::string& name) const;
  [[noreturn]] void reject_unknown(std::string_view kind, std::string_view name) const;

  std::map<std::pair<std::string, std::string>, Component> components_;
  std::vector<LoadedPlugin> plugins_;
  const LoadedPlugin* current_plugin_ = nullptr;  ///< the plugin that is registering its components
  mutable bool frozen_ = false;
};

/// Whether a name of a plugin or component consists of lowercase letters, digits and `marks`, and
/// starts with a letter.
PHRASEQ_API bool is_valid_name(std::string_view name, std::string_view marks);

/// Describes the selected component's options in a section named after its kind and name. Values
/// that a preset changed have the preset as their origin; `default_text` remains the component's
/// own.
PHRASEQ_API void describe(OptionTable& table, const Selection& selection);

/// Adds the selected component's options to the current section.
PHRASEQ_API void add_described(OptionTable& table, const Selection& selection);
/// The selected component's options. They belong to the selection, which must outlive the table.
PHRASEQ_API OptionTable described(const Selection& selection);

/// The problems of the values of the selected component's options (Options::problems); nothing if
/// no component is selected.
PHRASEQ_API std::vector<std::string> problems_of(const Selection& selection);
PHRASEQ_API void add_problems_of(const Selection& selection, std::vector<std::string>& problems);
/// The same for Options::without_effect.
PHRASEQ_API std::vector<std::string> without_effect_of(const Selection& selection);

/// Makes a preset from a function over the concrete options type.
template <class OptionsType>
Preset preset(std::string name,
              std::string description,
              void (*apply)(OptionsType&),
              TrainingDefaults training = {}) {
  return {std::move(name),
          std::move(description),
          [apply](Options& options) { apply(dynamic_cast<OptionsType&>(options)); },
          std::move(training)};
}

/// The error for a file that a component cannot use; it names the plugin only if it does not name a
/// file.
inline IoError file_failure(const Component& component,
                            const std::filesystem::filesystem_error& failure) {
  const std::string path = failure.path1().string();
  return {path.empty() ? component.plugin : path, "use", failure.code().value()};
}

/// Calls the selected component's factory. An exception becomes a PluginError that begins with the
/// plugin's name, except phraseq's own errors, which are passed on, and failures of the file
/// system, which become an IoError. Throws OutOfMemory.
template <class Interface>
std::unique_ptr<Interface> create(const Selection& selection,
                                  const typename Interface::Setup& setup) {
  const auto& factory =
      std::any_cast<const typename Interface::Factory&>(selection.component->factory);
  try {
    return factory(*selection.options, setup);
  } catch (const Error&) {
    throw;
  } catch (const std::filesystem::filesystem_error& failure) {
    throw file_failure(*selection.component, failure);
  } catch (const std::exception& failure) {
    if (means_out_of_memory(failure.what()))
      throw OutOfMemory(selection.component->kind + " " + selection.name);
    throw PluginError(selection.component->plugin + ": could not create " + selection.name + ": " +
                      failure.what());
  } catch (...) {
    throw PluginError(selection.component->plugin + ": could not create " + selection.name +
                      ": an exception that does not derive from std::exception was thrown");
  }
}

}  // namespace phraseq
