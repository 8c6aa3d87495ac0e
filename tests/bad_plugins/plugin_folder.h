#pragma once

#include <filesystem>
#include <string>

#include "tests/core/io/temporary_folder.h"

/// A folder for one test, removed afterwards; test libraries are copied into it.
class PluginFolder {
 public:
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
    folder_.write(name, content);
    return path(name);
  }

 private:
  phraseq::TemporaryFolder folder_;
  std::filesystem::path path_ = std::filesystem::canonical(folder_.path());
};
