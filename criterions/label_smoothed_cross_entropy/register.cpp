#include "core/criterion/token_loss.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;

struct LabelSmoothingOptions : Options {
  double label_smoothing = 0.0;
  std::string smoothing_kernel = "fairseq";
  TokenLossOptions tokens;
  void describe(OptionTable& v) override {
    v.field(
         "label-smoothing", label_smoothing, "Epsilon for label smoothing, 0 = no label smoothing.")
        .in(0.0, 0.999);
    v.field("smoothing-kernel",
            smoothing_kernel,
            "Variant of label smoothing, as in the named toolkit.")
        .one_of({"fairseq", "fairseq-0.12", "tensor2tensor", "neutron"});
    tokens.describe_counting(v);
    v.find("ignore-prefix-size")->help +=
        " Sums are divided by the number of all target tokens with the kernels fairseq and "
        "fairseq-0.12, as fairseq does, and by that of the remaining tokens with the others.";
  }
};

bool is_of_fairseq(const std::string& kernel) { return kernel.starts_with("fairseq"); }

nn::Smoothing kernel_from(const std::string& name) {
  if (name == "tensor2tensor")
    return nn::Smoothing::kTensor2Tensor;
  return name == "neutron" ? nn::Smoothing::kNeutron : nn::Smoothing::kFairseq;
}

/// fairseq 0.12 gives ε/(V-1) to each class but the gold one: what 0.10's rule, ε/V to all, does
/// with a somewhat larger ε.
double epsilon_for(const LabelSmoothingOptions& options, int64_t vocabulary) {
  const auto classes = static_cast<double>(vocabulary);
  const bool only_others = options.smoothing_kernel == "fairseq-0.12";
  return options.label_smoothing * (only_others ? classes / (classes - 1) : 1.0);
}

/// Label-smoothed cross entropy (Szegedy et al. 2016, sec. 7) in the forms that the published
/// systems use; see nn::Smoothing for the equations.
class LabelSmoothedCrossEntropy final : public Criterion {
 public:
  LabelSmoothedCrossEntropy(const LabelSmoothingOptions& options, const CriterionSetup& setup)
      : options_(options.tokens) {
    options_.epsilon = epsilon_for(options, setup.target_vocabulary);
    options_.smoothing = kernel_from(options.smoothing_kernel);
    options_.divides_by_prefix = is_of_fairseq(options.smoothing_kernel);
  }
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
