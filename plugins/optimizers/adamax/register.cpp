#include "core/optim/optimizers/adamax.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Adamax, AdamaxOptions>(
      "adamax", "Adamax with decoupled weight decay, as in fairseq");
}

}  // namespace

PHRASEQ_PLUGIN("adamax", PHRASEQ_VERSION, "Adamax", register_components)
