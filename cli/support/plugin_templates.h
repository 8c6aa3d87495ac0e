#pragma once

#include <span>
#include <string_view>

namespace phraseq {

/// A file that `phraseq new-plugin` writes, as it is in cli/templates.
struct PluginTemplate {
  std::string_view path;  ///< "architecture/register.cpp"; "common/…" belongs to every kind
  std::string_view text;  ///< with @name@ and the like
};

/// All of them; CMake writes them into the program.
std::span<const PluginTemplate> plugin_templates();

}  // namespace phraseq
