#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Task, plugin::Task, plugin::Settings>(
      "@name@", "Translation with source lengths in each batch");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The task @name@", register_components)
