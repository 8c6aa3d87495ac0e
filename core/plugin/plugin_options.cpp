#include "core/plugin/plugin_options.h"

namespace phraseq {

void PluginOptions::describe(OptionTable& table) {
  table.field("plugin-dir", plugin_dir, "Folders to search for plugins before all others.")
      .value_name("DIR,...")
      .harmless();
}

}  // namespace phraseq
