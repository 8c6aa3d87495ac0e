#include "core/optim/adadelta.h"
#include "core/optim/adam.h"
#include "core/optim/sgd.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_into(Registry& registry) {
  registry.add<Optimizer, Adam, AdamOptions>("adam",
                                             "Adam with decoupled weight decay, as fairseq's");
  registry.add<Optimizer, Adam, AdamWOptions>(
      "adamw", "Adam with decoupled weight decay, eps after the bias correction, as torch's AdamW");
  registry.add<Optimizer, Sgd, SgdOptions>("sgd", "Stochastic gradient descent with momentum");
  registry.add<Optimizer, Adadelta, AdadeltaOptions>("adadelta", "Adadelta (Zeiler 2012)");
}

}  // namespace

PHRASEQ_PLUGIN("optimizers", PHRASEQ_VERSION, "The built-in optimizers", register_into)
