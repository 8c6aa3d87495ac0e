#include "core/criterion/criterion.h"
#include "core/criterion/token_loss.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;

struct CrossEntropyOptions : Options {
  TokenLossOptions tokens;
  void describe(OptionTable& table) override {
    tokens.describe_counting(table, "Sums are divided by the number of remaining tokens.");
  }
};

/// Σ -ln p(gold): maximum likelihood.
class CrossEntropy final : public Criterion {
 public:
  CrossEntropy(const CrossEntropyOptions& options, const CriterionSetup&)
      : options_(options.tokens) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    return token_loss(output, batch, options_, context);
  }

 private:
  TokenLossOptions options_;
};

void register_components(Registry& registry) {
  registry.add<Criterion, CrossEntropy, CrossEntropyOptions>("cross_entropy",
                                                             "Cross entropy of the target tokens");
}

}  // namespace

PHRASEQ_PLUGIN("cross_entropy", PHRASEQ_VERSION, "Cross entropy", register_components)
