#include "core/criterion/criterion.h"
#include "core/criterion/label_smoothing.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;

class LabelSmoothedCrossEntropy final : public Criterion {
 public:
  LabelSmoothedCrossEntropy(const LabelSmoothingOptions& options, const CriterionSetup& setup)
      : options_(options.token_loss_options(setup.target_vocabulary)) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    return token_loss(output, batch, options_, context);
  }

 private:
  TokenLossOptions options_;
};

void register_components(Registry& registry) {
  registry.add<Criterion, LabelSmoothedCrossEntropy, LabelSmoothingOptions>(
      "label_smoothed_cross_entropy", "Cross entropy with label smoothing");
}

}  // namespace

PHRASEQ_PLUGIN("label_smoothed_cross_entropy",
               PHRASEQ_VERSION,
               "Label-smoothed cross entropy",
               register_components)
