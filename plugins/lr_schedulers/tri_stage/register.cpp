#include "core/optim/schedules/tri_stage.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, TriStage, TriStageOptions>(
      "tri_stage", "Warm-up, constant rate, exponential decay, as in fairseq");
}

}  // namespace

PHRASEQ_PLUGIN("tri_stage", PHRASEQ_VERSION, "Tri-stage schedule", register_components)
