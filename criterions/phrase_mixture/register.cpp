#include "core/base/error.h"
#include "core/criterion/criterion.h"
#include "core/nn/loss/phrase_mixture.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;

struct PhraseMixtureOptions : Options {
  void describe(OptionTable&) override {}
};

/// The negative log-likelihood of words and phrases (Tang et al. 2016, eq. 3), summed over target
/// tokens. For architectures that choose between words and phrases: phrasenet.
class PhraseMixture final : public Criterion {
 public:
  PhraseMixture(const PhraseMixtureOptions&, const CriterionSetup&) {}

  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    if (output.extras.count(nn::kSlotScores) == 0) {
      throw UsageError("criterion phrase_mixture: the architecture does not use phrases",
                       "Use it with --arch phrasenet_gate or phrasenet_softmax.");
    }
    LossReport report;
    report.loss = nn::phrase_mixture_losses(output, batch, context).sum();
    report.add_sum(kLossSum, report.loss);
    report.add_sum(kNllSum, report.loss);
    report.tokens = batch.target_out.numel();
    report.sentences = batch.sentences();
    return report;
  }
};

void register_components(Registry& registry) {
  registry.add<Criterion, PhraseMixture, PhraseMixtureOptions>(
      "phrase_mixture", "Likelihood of words and of phrases from an external memory");
}

}  // namespace

PHRASEQ_PLUGIN("phrase_mixture",
               PHRASEQ_VERSION,
               "Mixture of words and phrases",
               register_components)
