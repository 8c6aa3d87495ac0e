#include "core/criterion/label_smoothing.h"

namespace phraseq {
namespace {

constexpr EnumName<SmoothingKernel> kSmoothingKernelNames[] = {
    {"fairseq", SmoothingKernel::kFairseq},
    {"fairseq-0.12", SmoothingKernel::kFairseq012},
    {"tensor2tensor", SmoothingKernel::kTensor2Tensor},
    {"neutron", SmoothingKernel::kNeutron}};

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

/// fairseq 0.12 assigns ε/(V-1) to each class except the gold one. This equals 0.10's rule, which
/// assigns ε/V to all classes, with a slightly larger ε.
double epsilon_for(const LabelSmoothingOptions& options, int64_t vocabulary) {
  const auto classes = static_cast<double>(vocabulary);
  const bool only_others = options.smoothing_kernel == SmoothingKernel::kFairseq012;
  return options.label_smoothing * (only_others ? classes / (classes - 1) : 1.0);
}

}  // namespace

void LabelSmoothingOptions::describe(OptionTable& table) {
  table
      .field("label-smoothing",
             label_smoothing,
             "Epsilon for label smoothing, 0 = no label smoothing.")
      .in(0.0, 0.999);
  table.field("smoothing-kernel",
              smoothing_kernel,
              kSmoothingKernelNames,
              "Variant of label smoothing, as in the named toolkit.");
  tokens.describe_counting(
      table,
      "With the kernels fairseq and fairseq-0.12, sums are divided by the number of all target "
      "tokens, as in fairseq; with the others, by the number of remaining tokens.");
}

TokenLossOptions LabelSmoothingOptions::token_loss_options(int64_t vocabulary) const {
  TokenLossOptions options = tokens;
  options.epsilon = epsilon_for(*this, vocabulary);
  options.smoothing = smoothing_of(smoothing_kernel);
  options.counts_prefix_tokens = options.smoothing == nn::Smoothing::kFairseq;
  return options;
}

}  // namespace phraseq
