#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/loss/smoothing.h"

namespace phraseq::nn {

/// The loss of some rows, and further sums for reports.
struct ProjectedLoss {
  at::Tensor loss;  ///< scalar fp32 (fp64), the sum over rows; differentiable
  double loss_sum = 0;
  double nll_sum = 0;   ///< Σ -ln p(gold)
  int64_t correct = 0;  ///< rows whose gold id has the largest logit
  /// [3] fp64: the three sums above while they are only on the device; the members above are then
  /// 0. Undefined on the CPU.
  at::Tensor on_device;
};

/// Projection, softmax and (label-smoothed) cross entropy, Σ_r [-Σ_c q_rc · ln p_rc + constant],
/// p_r = softmax(W h_r + b), with q and the constant of SmoothingRule, without storing all logits:
/// rows are processed in chunks, and the gradient is computed in the same pass if needed. hidden
/// [rows, model], weight [vocab, model], bias [vocab] or undefined, targets [rows]. Throws
/// UsageError if the shapes do not match, and the exceptions of SmoothingRule.
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
