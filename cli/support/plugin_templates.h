#pragma once

#include <span>
#include <string_view>

namespace phraseq {

/// A template, from cli/templates, of a file that `phraseq new-plugin` writes.
struct PluginTemplate {
  std::string_view path;  ///< "architecture/register.cpp"; "common/…" belongs to every kind
  std::string_view text;  ///< with placeholders such as @name@
};

/// All templates, which CMake embeds in the program.
std::span<const PluginTemplate> plugin_templates();

}  // namespace phraseq
