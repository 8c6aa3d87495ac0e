#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Criterion, plugin::Loss, plugin::Settings>("@name@",
                                                                   "Focal loss (Lin et al. 2017)");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The criterion @name@", register_components)
