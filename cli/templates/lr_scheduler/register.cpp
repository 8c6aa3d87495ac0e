#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::LrScheduler, plugin::Schedule, plugin::Settings>(
      "@name@", "Learning rate that is halved at regular intervals");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The learning-rate schedule @name@", register_components)
