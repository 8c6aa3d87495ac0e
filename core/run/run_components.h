#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The plugins a command works with: the registry and the plugins loaded into it.
struct PHRASEQ_API LoadedPlugins {
  Registry registry;
  std::vector<LoadedPlugin> plugins;
};

/// Loads the plugins of the search path, with the folders that --plugin-dir in `arguments` names
/// first.
PHRASEQ_API std::unique_ptr<LoadedPlugins> load_plugins_for(std::span<const std::string> arguments);

/// A kind of component and the option that selects one.
struct KindOption {
  std::string_view kind;
  std::string_view option;
};

/// "it is an option of --criterion a or b": the components of these kinds that have an option of
/// this name, and how to select them; empty if none has it.
PHRASEQ_API std::string owners_of_option(const Registry& registry,
                                         std::span<const KindOption> kinds,
                                         const std::string& name);

}  // namespace phraseq
