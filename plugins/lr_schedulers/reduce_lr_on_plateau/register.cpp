#include "core/optim/schedules/reduce_on_plateau.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, ReduceOnPlateau, ReduceOnPlateauOptions>(
      "reduce_lr_on_plateau",
      "Constant learning rate that shrinks when validation does not improve, as in fairseq");
}

}  // namespace

PHRASEQ_PLUGIN("reduce_lr_on_plateau",
               PHRASEQ_VERSION,
               "Reduction on a plateau",
               register_components)
