#include "core/plugin/plugin.h"
#include "core/train/token_loss.h"

namespace {

using namespace phraseq;

struct CrossEntropyOptions : Options {
  bool report_accuracy = false;
  int64_t ignore_prefix_size = 0;
  void describe(OptionTable& v) override {
    v.field("report-accuracy",
            report_accuracy,
            "Also report the share of target tokens that are the model's best.")
        .harmless();
    v.field("ignore-prefix-size",
            ignore_prefix_size,
            "Target tokens at the start of each sentence that do not count.")
        .at_least(0);
  }
};

/// Σ -ln p(gold): maximum likelihood.
class CrossEntropy final : public Criterion {
 public:
  CrossEntropy(const CrossEntropyOptions& options, const CriterionSetup&) {
    options_.report_accuracy = options.report_accuracy;
    options_.ignore_prefix_size = options.ignore_prefix_size;
  }
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
