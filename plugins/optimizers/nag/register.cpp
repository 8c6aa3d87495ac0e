#include "core/optim/optimizers/nag.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Nag, NagOptions>("nag", "Nesterov's accelerated gradient, as in fairseq");
}

}  // namespace

PHRASEQ_PLUGIN("nag", PHRASEQ_VERSION, "Nesterov's accelerated gradient", register_components)
