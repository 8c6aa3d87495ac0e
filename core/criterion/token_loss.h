#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"
#include "core/nn/loss/smoothing.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Options of a criterion that adds up losses of single target tokens.
struct TokenLossOptions {
  double epsilon = 0.0;
  nn::Smoothing smoothing = nn::Smoothing::kFairseq;
  bool report_accuracy = false;
  int64_t ignore_prefix_size = 0;  ///< first target tokens of each sentence without a loss
  /// Whether LossReport::tokens, by which losses are divided, also counts the ignored prefix.
  bool counts_prefix_tokens = false;

  /// Describes the options that every such criterion has: --report-accuracy and
  /// --ignore-prefix-size. `divisor` is a sentence of help that says what sums are divided by if
  /// tokens are ignored.
  PHRASEQ_API void describe_counting(OptionTable& table, const std::string& divisor);
};

/// The (label-smoothed) cross entropy of every target token of a batch, as sums. With accuracy, the
/// extras include the sum `correct`, and kJudgedTokens if it refers to fewer tokens than the
/// losses.
PHRASEQ_API LossReport token_loss(const DecoderOutput& output,
                                  const Batch& batch,
                                  const TokenLossOptions& options,
                                  nn::Context& context);

/// Σ over the same target tokens of KL(p‖q) + KL(q‖p), where p and q are the distributions of two
/// passes of one model: a differentiable scalar.
PHRASEQ_API at::Tensor token_divergence(const DecoderOutput& first,
                                        const DecoderOutput& second,
                                        const Batch& batch,
                                        const TokenLossOptions& options,
                                        nn::Context& context);

/// Returns ln p of every target token of a batch, [target tokens], for scoring: not differentiable.
/// If an architecture generates phrases, a phrase's ln p is at its first word
/// (nn::phrase_mixture_losses).
PHRASEQ_API at::Tensor token_log_probabilities(const DecoderOutput& output,
                                               const Batch& batch,
                                               nn::Context& context);

}  // namespace phraseq
