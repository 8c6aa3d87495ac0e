#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// The values computed from each row's logits z: ln p(target) = target - normalizer.
struct ProjectedScores {
  at::Tensor target;      ///< [rows] z of the row's target
  at::Tensor normalizer;  ///< [rows] ln Σ exp z
};

/// Projection and log-sum-exp, differentiable by row, without storing all logits: rows are
/// processed in chunks, which are recomputed in the backward pass. For losses that combine the
/// vocabulary's softmax with other probabilities; projected_cross_entropy computes a sum of cross
/// entropies in one pass.
///
/// hidden [rows, model], weight [vocab, model], bias [vocab] or undefined, targets [rows]; results
/// fp32 (fp64).
PHRASEQ_API ProjectedScores projected_scores(const at::Tensor& hidden,
                                             const at::Tensor& weight,
                                             const at::Tensor& bias,
                                             const at::Tensor& targets,
                                             Context& context);

}  // namespace phraseq::nn
