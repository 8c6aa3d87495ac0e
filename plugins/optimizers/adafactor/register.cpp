#include "core/optim/optimizers/adafactor.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Adafactor, AdafactorOptions>(
      "adafactor", "Adafactor: second moments of matrices by rows and columns, as in fairseq");
}

}  // namespace

PHRASEQ_PLUGIN("adafactor", PHRASEQ_VERSION, "Adafactor", register_components)
