#include "core/plugin/loader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <string_view>

#include <boost/core/demangle.hpp>
#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/folders/folder_entries.h"
#include "core/plugin/library_file.h"
#include "core/plugin/plugin.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSymbolPrefix = "phraseq_plugin_";
constexpr std::string_view kSymbol = "phraseq_plugin_" PHRASEQ_ABI_HASH;

void reject_if_writable_by_others(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw IoError(path.string(), "inspect", errno);
  if ((status.st_mode & S_IWOTH) == 0)
    return;
  throw PluginError(
      fmt::format("{}: is writable by every user of this machine, so its code is not trusted",
                  path.string()),
      fmt::format("'chmod o-w {}' corrects it.", path.string()));
}

/// Returns the file's real path after the checks that do not read its content.
fs::path checked_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) {
    throw PluginError(fmt::format("{}: cannot be found: {}", path, error.message()),
                      "Give the path of the library, or the name of an installed plugin. "
                      "'phraseq plugins explain NAME' names the plugin of a component or preset.");
  }
  const fs::path folder = fs::canonical(fs::absolute(path).parent_path());
  if (!fs::is_regular_file(real)) {
    throw PluginError(fmt::format("{}: is not a regular file", path));
  }
  if (real.parent_path() != folder) {
    throw PluginError(
        fmt::format("{}: is a symbolic link to a file outside its folder: {}", path, real.string()),
        "Put the library itself into the folder, or search the folder that contains it.");
  }
  reject_if_writable_by_others(folder);
  reject_if_writable_by_others(real);
  return real;
}

[[noreturn]] void reject_other_build(const std::string& path) {
  std::string theirs = abi_text_in(path);
  if (theirs.empty())
    theirs = "no build information";
  throw PluginError(fmt::format("{}: was built for another version of phraseq\n    this program: "
                                "{}\n    the plugin:   {}",
                                path,
                                PHRASEQ_ABI_TEXT,
                                theirs),
                    "Rebuild the plugin against this version of phraseq.");
}

void check_manifest_symbol(const std::string& path, const LibraryFile& library) {
  const auto& symbols = library.exported;
  if (std::find(symbols.begin(), symbols.end(), kSymbol) != symbols.end())
    return;
  for (const std::string& symbol : symbols) {
    if (symbol.starts_with(kSymbolPrefix))
      reject_other_build(path);
  }
  throw PluginError(
      fmt::format(
          "{}: is a shared library, but not a phraseq plugin: it has no symbol {}", path, kSymbol),
      "A plugin contains PHRASEQ_PLUGIN(...) and is built with phraseq_add_plugin().");
}

/// Extracts the dynamic loader's message; Boost adds an error code that always says "Bad file
/// descriptor".
std::string loader_message(std::string_view text) {
  constexpr std::string_view kBegin = "dlerror system message: ";
  const size_t begin = text.find(kBegin);
  if (begin == std::string_view::npos)
    return std::string(text);
  text.remove_prefix(begin + kBegin.size());
  return std::string(text.substr(0, text.rfind("): ")));
}

[[noreturn]] void reject_unloadable(const std::string& path, std::string_view text) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::string message = loader_message(text);
  const size_t found = message.find(kUndefined);
  if (found == std::string::npos) {
    throw PluginError(fmt::format("{}: cannot be loaded: {}", path, message));
  }
  std::string symbol = message.substr(found + kUndefined.size());
  symbol.resize(std::min(symbol.size(), symbol.find_first_of(" \t,(")));
  throw PluginError(fmt::format("{}: cannot be loaded: it uses '{}', which is not defined",
                                path,
                                boost::core::demangle(symbol.c_str())),
                    "Link the plugin with the library that defines it; phraseq_add_plugin() "
                    "reports such symbols when the plugin is built.");
}

/// Loads the library for the lifetime of the process: objects and exceptions may refer to code,
/// types and strings of a plugin, and libraries built by g++ are not unloaded anyway
/// (STB_GNU_UNIQUE).
const boost::dll::shared_library& load_forever(const std::string& path) {
  using namespace boost::dll;
  static auto& kept = *new std::map<std::string, shared_library>;
  try {
    return kept.try_emplace(path, path, load_mode::rtld_now | load_mode::rtld_local).first->second;
  } catch (const boost::system::system_error& failure) {
    reject_unloadable(path, failure.what());
  }
}

bool needs_torch(const LibraryFile& library) {
  return std::any_of(library.needed.begin(), library.needed.end(), [](const std::string& name) {
    return name.starts_with("libphraseq-core.") || name.starts_with("libtorch");
  });
}

/// Throws PluginError if the plugin's name is invalid. Checkpoints record this name, and messages
/// tell users to install the plugin by it.
void check_name(const LoadedPlugin& plugin) {
  if (is_valid_name(plugin.name, "_-"))
    return;
  throw PluginError(
      fmt::format("{}: '{}' is not a valid plugin name", plugin.file, plugin.name),
      "Names consist of lowercase letters, digits, '_' and '-', and start with a letter.");
}

LoadedPlugin load_checked(Registry& registry, const std::string& path) {
  const auto& library = load_forever(path);
  const auto& manifest = library.get<const PluginManifest>(std::string(kSymbol));
  if (std::strcmp(manifest.magic, "phraseq-plugin") != 0) {
    throw PluginError(fmt::format("{}: its manifest does not start with \"phraseq-plugin\"", path));
  }
  LoadedPlugin plugin{manifest.name, manifest.version, manifest.description, path};
  check_name(plugin);
  registry.add_plugin(plugin, manifest.register_components);
  return plugin;
}

/// The folder `phraseq` next to the library that contains this function.
std::string folder_beside_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_search_path), &info) == 0)
    return {};
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  return error ? std::string() : (library.parent_path() / "phraseq").string();
}

std::string checked_folder(const std::string& folder, std::string_view source) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (!error && fs::is_directory(real))
    return real.string();
  const bool is_argument = source == "--plugin-dir" && !error && fs::is_regular_file(real);
  const std::string hint =
      is_argument ? "--plugin-dir takes all folders up to the next option: give the folder of a "
                    "plugin, and other arguments before --plugin-dir."
                  : "";
  throw PluginError(
      fmt::format("{}: is not a folder that can be searched for plugins (from {})", folder, source),
      hint);
}

void add_environment_folders(std::vector<std::string>& folders) {
  const char* variable = ::secure_getenv("PHRASEQ_PLUGIN_PATH");
  for (const std::string_view folder : filled_parts(variable == nullptr ? "" : variable, ":")) {
    if (folder.front() != '/') {
      throw PluginError(fmt::format("PHRASEQ_PLUGIN_PATH: '{}' is not an absolute path", folder));
    }
    folders.push_back(checked_folder(std::string(folder), "PHRASEQ_PLUGIN_PATH"));
  }
}

}  // namespace

std::vector<std::string> plugin_search_path(std::span<const std::string> given) {
  std::vector<std::string> folders;
  for (const std::string& folder : given) folders.push_back(checked_folder(folder, "--plugin-dir"));
  add_environment_folders(folders);
  folders.push_back(folder_beside_this_library());
  folders.emplace_back(PHRASEQ_INSTALLED_PLUGIN_FOLDER);
  std::vector<std::string> unique;
  for (std::string& folder : folders) {
    const bool seen = std::find(unique.begin(), unique.end(), folder) != unique.end();
    if (!folder.empty() && !seen)
      unique.push_back(std::move(folder));
  }
  return unique;
}

std::vector<std::string> find_plugin_files(std::span<const std::string> folders) {
  std::map<std::string, std::string> by_name;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder))
      continue;
    reject_if_writable_by_others(folder);
    for (const auto& entry : entries_of(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("libphraseq-") || !name.ends_with(".so"))
        continue;
      by_name.try_emplace(name, entry.path().string());
    }
  }
  std::vector<std::string> files;
  for (auto& [name, file] : by_name) files.push_back(std::move(file));
  return files;
}

std::vector<LoadedPlugin> load_plugins(Registry& registry,
                                       std::span<const std::string> folders,
                                       PluginScope scope) {
  std::vector<LoadedPlugin> loaded;
  for (const std::string& file : find_plugin_files(folders)) {
    const std::string path = checked_path(file).string();
    const LibraryFile library = inspect_library(path);
    if (scope == PluginScope::kTorchFree && needs_torch(library))
      continue;
    check_manifest_symbol(path, library);
    loaded.push_back(load_checked(registry, path));
  }
  return loaded;
}

Registry load_plugins_with(std::span<const std::string> folders,
                           std::string_view kind,
                           std::span<const std::string> names) {
  Registry registry;
  load_plugins(registry, folders, PluginScope::kTorchFree);
  const auto known = registry.names(kind);
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(known, name) != known.end();
  };
  if (!std::ranges::all_of(names, is_known))
    load_plugins(registry, folders);
  return registry;
}

LoadedPlugin load_plugin_file(Registry& registry, const std::string& path) {
  const std::string real = checked_path(path).string();
  check_manifest_symbol(real, inspect_library(real));
  return load_checked(registry, real);
}

}  // namespace phraseq
