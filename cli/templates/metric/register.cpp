#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Metric, plugin::ExactMatch, plugin::Settings>(
      "@name@", "Fraction of sentences that equal a reference");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The metric @name@", register_components)
