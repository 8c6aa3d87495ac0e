#include "core/optim/schedules/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, Noam, NoamOptions>(
      "noam",
      "Schedule of Vaswani et al. 2017, eq. 3: the rate depends on the model's width, not on --lr");
}

}  // namespace

PHRASEQ_PLUGIN("noam", PHRASEQ_VERSION, "Noam schedule", register_components)
