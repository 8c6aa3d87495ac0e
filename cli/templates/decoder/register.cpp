#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Decoder, plugin::Search, plugin::Settings>("@name@", "Greedy search");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The decoder @name@", register_components)
