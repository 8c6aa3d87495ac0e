#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// One shared library that was loaded.
struct LoadedPlugin {
  std::string name;
  std::string version;
  std::string description;
  std::string file;
};

/// The folders searched for plugins, first to last: `given` (--plugin-dir), PHRASEQ_PLUGIN_PATH
/// (colon-separated; not read in a set-user-id program), the `phraseq` folder beside this library, the
/// installed folder. Never the current folder, the data's or the checkpoint's.
PHRASEQ_API std::vector<std::string> plugin_search_path(std::span<const std::string> given);

/// Loads every `libphraseq-*.so` of the folders (the first of a file name wins) and lets it register.
///
/// Each file is looked at before it is loaded: it must be a regular file inside the folder, neither
/// writable by others, an ELF library with the manifest symbol of this build. Otherwise PluginError says
/// what was expected and found, and none of the file's code has run. Libraries stay for the life of the
/// process.
PHRASEQ_API std::vector<LoadedPlugin> load_plugins(Registry& registry,
                                                   std::span<const std::string> folders);

/// Loads one file given by its path; the same checks.
PHRASEQ_API LoadedPlugin load_plugin_file(Registry& registry, const std::string& path);

}  // namespace phraseq
