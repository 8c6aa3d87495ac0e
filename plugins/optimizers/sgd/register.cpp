#include "core/optim/optimizers/sgd.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Sgd, SgdOptions>("sgd", "Stochastic gradient descent with momentum");
}

}  // namespace

PHRASEQ_PLUGIN("sgd", PHRASEQ_VERSION, "Stochastic gradient descent", register_components)
