#include "core/run/run_components.h"

#include "core/options/command_line.h"

namespace phraseq {

std::unique_ptr<LoadedPlugins> load_plugins_for(std::span<const std::string> arguments) {
  auto loaded = std::make_unique<LoadedPlugins>();
  const auto given = peek_list(arguments, "plugin-dir");
  loaded->plugins = load_plugins(loaded->registry, plugin_search_path(given));
  return loaded;
}

Selection select_and_describe(const Registry& registry,
                              std::string_view kind,
                              std::span<const std::string> arguments,
                              std::string_view flag,
                              std::string_view fallback,
                              OptionTable& table) {
  Selection selection = registry.select(kind, peek_option(table, arguments, flag, fallback));
  describe(table, selection);
  return selection;
}

}  // namespace phraseq
