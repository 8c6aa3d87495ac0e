#include "core/optim/schedules/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, Noam, NoamOptions>(
      "noam", "Vaswani et al. 2017, eq. 3: set by the model's width, not by --lr");
}

}  // namespace

PHRASEQ_PLUGIN("noam", PHRASEQ_VERSION, "Noam schedule", register_components)
