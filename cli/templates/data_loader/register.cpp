#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::DataLoader, plugin::Loader, plugin::Settings>(
      "@name@", "Line-parallel text, FOLDER/SPLIT.LANG");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The data loader @name@", register_components)
