#pragma once

#include <ATen/core/Tensor.h>

#include "core/nn/flat_parameters.h"

namespace phraseq {

/// The gradients as an optimizer reads them: a copy, multiplied by `gradient_scale`.
at::Tensor scaled_gradients(nn::FlatParameters& parameters, double gradient_scale);

/// Renews the bf16 copy of the parameters, where there is one.
void renew_bf16(nn::FlatParameters& parameters);

}  // namespace phraseq
