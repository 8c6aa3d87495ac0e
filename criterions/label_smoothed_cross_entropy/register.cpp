#include "core/criterion/token_loss.h"
#include "core/plugin/plugin.h"

namespace {

using namespace phraseq;

enum class SmoothingKernel { kFairseq, kFairseq012, kTensor2Tensor, kNeutron };

constexpr EnumName<SmoothingKernel> kSmoothingKernelNames[] = {
    {"fairseq", SmoothingKernel::kFairseq},
    {"fairseq-0.12", SmoothingKernel::kFairseq012},
    {"tensor2tensor", SmoothingKernel::kTensor2Tensor},
    {"neutron", SmoothingKernel::kNeutron}};

struct LabelSmoothingOptions : Options {
  double label_smoothing = 0.0;
  SmoothingKernel smoothing_kernel = SmoothingKernel::kFairseq;
  TokenLossOptions tokens;
  void describe(OptionTable& v) override {
    v.field(
         "label-smoothing", label_smoothing, "Epsilon for label smoothing, 0 = no label smoothing.")
        .in(0.0, 0.999);
    v.field("smoothing-kernel",
            smoothing_kernel,
            kSmoothingKernelNames,
            "Variant of label smoothing, as in the named toolkit.");
    tokens.describe_counting(v);
    v.find("ignore-prefix-size")->help +=
        " Sums are divided by the number of all target tokens with the kernels fairseq and "
        "fairseq-0.12, as fairseq does, and by that of the remaining tokens with the others.";
  }
};

nn::Smoothing smoothing_of(SmoothingKernel kernel) {
  switch (kernel) {
    case SmoothingKernel::kTensor2Tensor:
      return nn::Smoothing::kTensor2Tensor;
    case SmoothingKernel::kNeutron:
      return nn::Smoothing::kNeutron;
    case SmoothingKernel::kFairseq:
    case SmoothingKernel::kFairseq012:
      break;
  }
  return nn::Smoothing::kFairseq;
}

/// fairseq 0.12 gives ε/(V-1) to each class but the gold one: what 0.10's rule, ε/V to all, does
/// with a somewhat larger ε.
double epsilon_for(const LabelSmoothingOptions& options, int64_t vocabulary) {
  const auto classes = static_cast<double>(vocabulary);
  const bool only_others = options.smoothing_kernel == SmoothingKernel::kFairseq012;
  return options.label_smoothing * (only_others ? classes / (classes - 1) : 1.0);
}

/// Label-smoothed cross entropy (Szegedy et al. 2016, sec. 7) in the forms that the published
/// systems use; see nn::Smoothing for the equations.
class LabelSmoothedCrossEntropy final : public Criterion {
 public:
  LabelSmoothedCrossEntropy(const LabelSmoothingOptions& options, const CriterionSetup& setup)
      : options_(options.tokens) {
    options_.epsilon = epsilon_for(options, setup.target_vocabulary);
    options_.smoothing = smoothing_of(options.smoothing_kernel);
    options_.divides_by_prefix = options_.smoothing == nn::Smoothing::kFairseq;
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
