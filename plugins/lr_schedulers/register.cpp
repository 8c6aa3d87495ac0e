#include "core/optim/learning_rates.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;  // registration only

void register_into(Registry& registry) {
  registry.add<LrScheduler, ConstantRate, ConstantRateOptions>(
      "constant",
      "The learning rate as given, after an optional warm-up",
      {preset<ConstantRateOptions>("fixed", "fairseq's name for it", [](ConstantRateOptions&) {})});
  registry.add<LrScheduler, InverseSqrt, InverseSqrtOptions>(
      "inverse_sqrt", "Linear warm-up, then falling with the square root of the updates");
  registry.add<LrScheduler, Noam, NoamOptions>(
      "noam", "Vaswani et al. 2017, eq. 3: by the model's width, not by --lr");
  registry.add<LrScheduler, Cosine, CosineOptions>(
      "cosine", "Cosine periods with warm restarts (Loshchilov & Hutter 2017)");
  registry.add<LrScheduler, Polynomial, PolynomialOptions>(
      "polynomial",
      "Polynomial fall to --end-learning-rate",
      {preset<PolynomialOptions>(
          "polynomial_decay", "fairseq's name for it", [](PolynomialOptions&) {})});
}

}  // namespace

PHRASEQ_PLUGIN("lr_schedulers",
               PHRASEQ_VERSION,
               "The built-in learning rate schedules",
               register_into)
