#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/loader.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The plugins a command works with: the registry and what was loaded into it.
struct PHRASEQ_API LoadedPlugins {
  Registry registry;
  std::vector<LoadedPlugin> plugins;
};

/// Loads the plugins of the search path, with the folders that --plugin-dir in `arguments` names
/// first.
PHRASEQ_API std::unique_ptr<LoadedPlugins> load_plugins_for(std::span<const std::string> arguments);

/// Picks a component by the option `flag`, which `table` describes, in the arguments (else
/// `fallback`) and describes its options into the table, under its own heading.
PHRASEQ_API Selection select_and_describe(const Registry& registry,
                                          std::string_view kind,
                                          std::span<const std::string> arguments,
                                          std::string_view flag,
                                          std::string_view fallback,
                                          OptionTable& table);

}  // namespace phraseq
