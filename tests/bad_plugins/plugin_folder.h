#pragma once

#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>

/// A folder of its own for one test, removed afterwards; test libraries are copied into it.
class PluginFolder {
 public:
  PluginFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "phraseq-plugins-XXXXXX").string();
    path_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~PluginFolder() { std::filesystem::remove_all(path_); }
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;

  std::string path(const std::string& name = "") const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }

  /// Copies a test library into the folder and returns the copy's path.
  std::string copy(const std::string& library, const std::string& as = "") const {
    const std::string source = std::string(BAD_PLUGIN_FOLDER) + "/libphraseq-" + library + ".so";
    const std::string target = path("libphraseq-" + (as.empty() ? library : as) + ".so");
    std::filesystem::copy_file(source, target);
    return target;
  }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};
