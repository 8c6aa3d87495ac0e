#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// What is kept of each row's logits z: ln p(target) = target - normalizer.
struct ProjectedScores {
  at::Tensor target;      ///< [rows] z of the row's target
  at::Tensor normalizer;  ///< [rows] ln Σ exp z
};

/// Projection and log-sum-exp, differentiable by row, without ever holding all logits: chunks of
/// rows, which are computed again in the backward pass. For losses that mix the vocabulary's
/// softmax with something else; a sum of cross entropies is projected_cross_entropy, in one pass.
///
/// hidden [rows, model], weight [vocab, model], bias [vocab] or undefined, targets [rows]; results
/// fp32 (fp64).
PHRASEQ_API ProjectedScores projected_scores(const at::Tensor& hidden,
                                             const at::Tensor& weight,
                                             const at::Tensor& bias,
                                             const at::Tensor& targets,
                                             Context& context);

}  // namespace phraseq::nn
