#include "core/optim/optimizers/adagrad.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Adagrad, AdagradOptions>(
      "adagrad", "Adagrad, as in fairseq and torch.optim.Adagrad");
}

}  // namespace

PHRASEQ_PLUGIN("adagrad", PHRASEQ_VERSION, "Adagrad", register_components)
