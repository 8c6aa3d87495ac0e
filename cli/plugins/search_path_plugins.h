#pragma once

#include <string>
#include <vector>

#include "cli/plugins/plugins_options.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The components of all plugins in the search path except those with the file name `except`. A
/// plugin that cannot be loaded does not hide the others.
struct SearchPathPlugins {
  Registry registry;
  std::vector<std::string> rejections;  ///< why plugins were not loaded

  explicit SearchPathPlugins(const PluginsOptions& options, const std::string& except = "");

  /// Prints the rejections to standard error; returns the exit code.
  int report() const;
};

}  // namespace phraseq
