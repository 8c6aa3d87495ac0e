#include "core/optim/schedules/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, InverseSqrt, InverseSqrtOptions>(
      "inverse_sqrt", "Linear warm-up, then decay with the inverse square root of the updates");
}

}  // namespace

PHRASEQ_PLUGIN("inverse_sqrt", PHRASEQ_VERSION, "Inverse square root schedule", register_components)
