#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// A part of a forward pass with one result. Everything that it captures must stay alive, because
/// the backward pass may call it again.
using RecomputedPart =
    std::function<at::Tensor(const std::vector<at::Tensor>& inputs, Context& context)>;

/// Returns part(inputs, context), for the layers of a stack.
///
/// With Context::recomputes() and gradients enabled, only the inputs are stored for the backward
/// pass, which computes the part a second time, with the same dropout masks, and then its gradients
/// (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"). The gradients have the same
/// bits either way.
PHRASEQ_API at::Tensor recomputed(const std::vector<at::Tensor>& inputs,
                                  Context& context,
                                  RecomputedPart part);

}  // namespace phraseq::nn
