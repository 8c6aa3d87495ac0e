#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The components of all plugins in the search path except those with the file name `except`. A
/// plugin that cannot be loaded does not hide the others.
struct PHRASEQ_API SearchPathPlugins {
  Registry registry;
  std::vector<std::string> rejections;  ///< why plugins were not loaded

  /// `folders` precede all others in the search path.
  explicit SearchPathPlugins(const std::vector<std::string>& folders,
                             const std::string& except = "");

  /// Prints the rejections to standard error; returns the exit code.
  int report() const;
};

}  // namespace phraseq
