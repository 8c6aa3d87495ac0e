#include "core/optim/schedules/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, ConstantRate, ConstantRateOptions>(
      "constant",
      "Constant learning rate after an optional warm-up",
      {preset<ConstantRateOptions>(
          "fixed", "The name of this schedule in fairseq", [](ConstantRateOptions&) {})});
}

}  // namespace

PHRASEQ_PLUGIN("constant", PHRASEQ_VERSION, "Constant learning rate", register_components)
