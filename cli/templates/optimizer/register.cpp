#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Optimizer, plugin::Signum, plugin::Settings>(
      "@name@", "Update by the sign of the averaged gradient");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The optimizer @name@", register_components)
