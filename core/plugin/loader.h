#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The folders searched for plugins, first to last: `given` (--plugin-dir), PHRASEQ_PLUGIN_PATH
/// (colon-separated; not read in a set-user-id program), the `phraseq` folder next to this library,
/// the installed folder. The current folder and those of the data and the checkpoint are never
/// searched.
PHRASEQ_API std::vector<std::string> plugin_search_path(std::span<const std::string> given);

/// The `libphraseq-*.so` files of the folders, sorted by name; among files of the same name, the
/// first one wins. A missing folder counts as empty; throws PluginError for a folder that other
/// users may write to.
PHRASEQ_API std::vector<std::string> find_plugin_files(std::span<const std::string> folders);

/// The plugins that a command needs: a command that computes nothing skips plugins linked with
/// LibTorch, which takes 0.2 s to load.
enum class PluginScope { kAll, kTorchFree };

/// Loads every file that `find_plugin_files` finds and lets it register.
///
/// Each file is inspected before it is loaded: it must be a regular file inside the folder, not
/// writable by others, and an ELF library with the manifest symbol of this build. Otherwise, a
/// PluginError says what was expected and found, and none of the file's code has run. Libraries
/// stay loaded for the lifetime of the process.
PHRASEQ_API std::vector<LoadedPlugin> load_plugins(Registry& registry,
                                                   std::span<const std::string> folders,
                                                   PluginScope scope = PluginScope::kAll);

/// Loads the plugins of the folders that do not need LibTorch, because these load quickly; if they
/// lack one of the `names` of this kind, loads all plugins.
PHRASEQ_API Registry load_plugins_with(std::span<const std::string> folders,
                                       std::string_view kind,
                                       std::span<const std::string> names);

/// Loads one file given by its path, with the same checks.
PHRASEQ_API LoadedPlugin load_plugin_file(Registry& registry, const std::string& path);

}  // namespace phraseq
