#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// A part of a forward pass with one result. What it captures must stay alive, because the backward
/// pass may call it again.
using RecomputedPart =
    std::function<at::Tensor(const std::vector<at::Tensor>& inputs, Context& context)>;

/// part(inputs, context) in the shape that `part` returns, for the layers of a stack.
///
/// With Context::recomputes() and gradients enabled, nothing that is computed inside is kept for
/// the backward pass except the inputs: the backward pass computes the part a second time, with the
/// same dropout masks, and then its gradients (Chen et al. 2016, "Training Deep Nets with Sublinear
/// Memory Cost"). The gradients have the same bits either way.
PHRASEQ_API at::Tensor recomputed(const std::vector<at::Tensor>& inputs,
                                  Context& context,
                                  RecomputedPart part);

}  // namespace phraseq::nn
