#include "core/train/run_components.h"

#include <fmt/format.h>

#include "core/options/command_line.h"

namespace phraseq {
namespace {

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find(',', start), text.size());
    if (end > start) parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace

std::unique_ptr<LoadedPlugins> load_plugins_for(std::span<const std::string> arguments) {
  auto loaded = std::make_unique<LoadedPlugins>();
  const auto given = split_commas(peek_option(arguments, "plugin-dir", ""));
  loaded->plugins = load_plugins(loaded->registry, plugin_search_path(given));
  return loaded;
}

Selection select_and_describe(const Registry& registry, std::string_view kind,
                              std::span<const std::string> arguments, std::string_view flag,
                              std::string_view fallback, OptionTable& table) {
  Selection selection = registry.select(kind, peek_option(arguments, flag, fallback));
  table.section(fmt::format("{} {}", kind, selection.name));
  selection.options->describe(table);
  return selection;
}

}  // namespace phraseq
