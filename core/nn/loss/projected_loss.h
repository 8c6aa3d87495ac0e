#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/loss/smoothing.h"

namespace phraseq::nn {

/// The loss of some rows and the sums that are reported with it.
struct ProjectedLoss {
  at::Tensor loss;  ///< scalar fp32 (fp64), the sum over rows; differentiable
  double loss_sum = 0;
  double nll_sum = 0;   ///< Σ -ln p(gold)
  int64_t correct = 0;  ///< rows whose gold is the best
  /// [3] fp64: the three sums above as long as they are only on the device; the members are then 0.
  /// Undefined on the CPU.
  at::Tensor on_device;
};

/// Projection, softmax and (label-smoothed) cross entropy, Σ_r [-Σ_c q_rc · ln p_rc + constant],
/// p_r = softmax(W h_r + b), with q and the constant of SmoothingRule, without ever holding all
/// logits: chunks of rows, with the gradient computed in the same pass if needed. hidden [rows,
/// model], weight [vocab, model], bias [vocab] or undefined, targets [rows]. Throws UsageError if
/// the shapes do not match, and what SmoothingRule throws.
PHRASEQ_API ProjectedLoss projected_cross_entropy(const at::Tensor& hidden,
                                                  const at::Tensor& weight,
                                                  const at::Tensor& bias,
                                                  const at::Tensor& targets,
                                                  const LabelSmoothing& smoothing,
                                                  Context& context);

/// ln p of each row's target, with p, the arguments and the errors of `projected_cross_entropy`:
/// [rows] fp32 (fp64). `excluded` ids are left out of the softmax. Without gradients, chunked.
PHRASEQ_API at::Tensor target_log_probabilities(const at::Tensor& hidden,
                                                const at::Tensor& weight,
                                                const at::Tensor& bias,
                                                const at::Tensor& targets,
                                                const std::vector<int64_t>& excluded,
                                                Context& context);

}  // namespace phraseq::nn
