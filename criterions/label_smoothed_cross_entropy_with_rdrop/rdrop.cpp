#include "rdrop.h"

namespace phraseq {
namespace {

/// Averages the statistics of the two passes, so that nll_sum and accuracy have the scale of one
/// pass.
void halve_statistics(LossReport& both, const LossReport& one_pass) {
  both.multiply_sum(kNllSum, 0.5);
  for (const auto& [name, sum] : both.extras) both.multiply_sum(name, 0.5);
  both.tokens = one_pass.tokens;
  both.sentences = one_pass.sentences;
}

}  // namespace

void RDropOptions::describe(OptionTable& table) {
  LabelSmoothingOptions::describe(table);
  table
      .field("rdrop-alpha",
             rdrop_alpha,
             "Weight of the R-Drop regularization (Liang et al. 2021, who use 5 for translation); "
             "0 = no R-Drop.")
      .at_least(0);
}

RDrop::RDrop(const RDropOptions& options, const CriterionSetup& setup)
    : options_(options.token_loss_options(setup.target_vocabulary)), alpha_(options.rdrop_alpha) {}

LossReport RDrop::loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) {
  LossReport report = token_loss(output, batch, options_, context);
  if (alpha_ > 0) {
    report.loss = report.loss * 2;
    report.multiply_sum(kLossSum, 2);
  }
  return report;
}

LossReport RDrop::loss_of_model(const ForwardPass& model,
                                const Batch& batch,
                                nn::Context& context) {
  if (alpha_ == 0 || !context.training())
    return Criterion::loss_of_model(model, batch, context);
  const DecoderOutput first = model(batch, context);
  const DecoderOutput second = model(batch, context);  // uses the context's next dropout masks
  LossReport report = token_loss(first, batch, options_, context);
  const LossReport other = token_loss(second, batch, options_, context);
  const at::Tensor divergence = token_divergence(first, second, batch, options_, context);
  report.add(other);
  halve_statistics(report, other);
  report.loss = report.loss + other.loss + divergence * (alpha_ / 2);
  const at::Tensor divergence_sum = divergence.detach().to(at::kDouble) / 2;
  report.add_sum(kLossSum, divergence_sum * alpha_);
  report.add_sum("rdrop_kl_loss", divergence_sum);
  return report;
}

}  // namespace phraseq
