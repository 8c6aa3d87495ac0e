#include "core/optim/schedules/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<LrScheduler, Cosine, CosineOptions>(
      "cosine", "Cosine periods with warm restarts (Loshchilov & Hutter 2017)");
}

}  // namespace

PHRASEQ_PLUGIN("cosine", PHRASEQ_VERSION, "Cosine schedule", register_components)
