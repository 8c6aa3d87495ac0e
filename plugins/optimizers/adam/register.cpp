#include "core/optim/optimizers/adam.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<Optimizer, Adam, AdamOptions>("adam",
                                             "Adam with decoupled weight decay, as in fairseq");
  registry.add<Optimizer, Adam, AdamWOptions>("adamw",
                                              "Adam with decoupled weight decay, epsilon after the "
                                              "bias correction, as in torch.optim.AdamW");
}

}  // namespace

PHRASEQ_PLUGIN("adam", PHRASEQ_VERSION, "Adam and AdamW", register_components)
