#pragma once

#include "core/criterion/criterion.h"
#include "core/criterion/label_smoothing.h"

namespace phraseq {

/// The options of label smoothing, and α.
struct RDropOptions final : LabelSmoothingOptions {
  double rdrop_alpha = 0.0;

  void describe(OptionTable& table) override;
};

/// R-Drop (Liang et al. 2021, eq. 4): two passes over a batch with different dropout masks, whose
/// distributions p and q over the vocabulary are pulled toward each other.
///
///     loss = CE(p) + CE(q) + α · (KL(p‖q) + KL(q‖p)) / 2
///
/// CE is the label-smoothed cross entropy; the sum is divided by the tokens of one pass, as fairseq
/// does. Without dropout, both passes are equal: evaluation runs one and reports 2 · CE. With α =
/// 0, the loss is that of label_smoothed_cross_entropy.
class RDrop final : public Criterion {
 public:
  RDrop(const RDropOptions& options, const CriterionSetup& setup);

  /// Returns the loss from a single pass: the same as from two equal passes.
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override;
  LossReport loss_of_model(const ForwardPass& model,
                           const Batch& batch,
                           nn::Context& context) override;

 private:
  TokenLossOptions options_;
  double alpha_;
};

}  // namespace phraseq
