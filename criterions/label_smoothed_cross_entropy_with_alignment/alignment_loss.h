#pragma once

#include "core/criterion/criterion.h"
#include "core/criterion/label_smoothing.h"

namespace phraseq {

/// The options of label smoothing, and λ.
struct AlignmentLossOptions final : LabelSmoothingOptions {
  double alignment_lambda = 0.05;

  void describe(OptionTable& table) override;
};

/// Label-smoothed cross entropy and the cross entropy of an alignment (Garg et al. 2019, eq. 6 and
/// 7), as fairseq 0.12 sums them:
///
///     loss = CE - λ · Σ over the links (s, t) of ln A[t, s] / (number of links of t)
///
/// A is kAlignmentProbabilities of the decoder's output. Throws UsageError if an architecture does
/// not provide it and, in training, if the batch has no alignments; for a batch whose sentences
/// have no links, the loss is CE alone. Values of A below the smallest normal number are replaced
/// by that number.
class AlignmentLoss final : public Criterion {
 public:
  AlignmentLoss(const AlignmentLossOptions& options, const CriterionSetup& setup);

  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override;
  bool uses_alignments() const override { return true; }

 private:
  TokenLossOptions options_;
  double lambda_;
};

}  // namespace phraseq
