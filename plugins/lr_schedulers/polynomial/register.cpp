#include "core/optim/schedules/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, Polynomial, PolynomialOptions>(
      "polynomial",
      "Polynomial decay to --end-learning-rate",
      {preset<PolynomialOptions>(
          "polynomial_decay", "The name of this schedule in fairseq", [](PolynomialOptions&) {})});
}

}  // namespace

PHRASEQ_PLUGIN("polynomial", PHRASEQ_VERSION, "Polynomial schedule", register_components)
