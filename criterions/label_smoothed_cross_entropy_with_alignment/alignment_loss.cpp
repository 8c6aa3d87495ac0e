#include "alignment_loss.h"

#include <limits>

#include <ATen/ops/index.h>

#include "core/base/error.h"
#include "core/data/alignments/alignment_links.h"

namespace phraseq {
namespace {

void check_alignments(const DecoderOutput& output, const Batch& batch, nn::Context& context) {
  constexpr const char* kName = "label_smoothed_cross_entropy_with_alignment";
  if (context.training() && !batch.extras.contains(kAlignmentLinks)) {
    throw UsageError(std::string("--criterion ") + kName + ": there are no alignments",
                     "Preprocess with --align-suffix and train with --load-alignments, or train "
                     "with --criterion label_smoothed_cross_entropy.");
  }
  if (has_alignment_links(batch) && !output.extras.contains(kAlignmentProbabilities)) {
    throw UsageError(std::string("--criterion ") + kName + ": the architecture learns no alignment",
                     "Use --arch transformer_align.");
  }
}

/// Returns -Σ ln A[t, s] / (number of links of t), a scalar.
at::Tensor alignment_loss(const at::Tensor& probabilities, const Batch& batch) {
  const at::Tensor& links = batch.extras.at(kAlignmentLinks);    // [links, 2]
  const at::Tensor& counts = batch.extras.at(kAlignmentCounts);  // [links]
  const at::Tensor linked =
      at::index(probabilities, {links.select(1, 0), links.select(1, 1)});  // [links]
  const at::Tensor log_linked = linked.clamp_min(std::numeric_limits<float>::min()).log();
  return (log_linked / counts.to(log_linked.scalar_type())).sum().neg();
}

}  // namespace

void AlignmentLossOptions::describe(OptionTable& table) {
  LabelSmoothingOptions::describe(table);
  table.field("alignment-lambda", alignment_lambda, "Weight of the alignment loss.").at_least(0);
}

AlignmentLoss::AlignmentLoss(const AlignmentLossOptions& options, const CriterionSetup& setup)
    : options_(options.token_loss_options(setup.target_vocabulary)),
      lambda_(options.alignment_lambda) {}

LossReport AlignmentLoss::loss(const DecoderOutput& output,
                               const Batch& batch,
                               nn::Context& context) {
  check_alignments(output, batch, context);
  LossReport report = token_loss(output, batch, options_, context);
  report.extras["alignment_loss"] += 0;
  if (!has_alignment_links(batch))
    return report;
  const at::Tensor loss = alignment_loss(output.extras.at(kAlignmentProbabilities), batch);
  report.loss = report.loss + loss * lambda_;
  report.add_sum("alignment_loss", loss.detach());
  report.add_sum(kLossSum, loss.detach() * lambda_);
  return report;
}

}  // namespace phraseq
