#include "core/optim/optimizers/adadelta.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Adadelta, AdadeltaOptions>("adadelta", "Adadelta (Zeiler 2012)");
}

}  // namespace

PHRASEQ_PLUGIN("adadelta", PHRASEQ_VERSION, "Adadelta", register_components)
