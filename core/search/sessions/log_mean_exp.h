#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// Averages probabilities given as logarithms: ln (1/n · Σᵢ exp xᵢ) for n tensors xᵢ of one shape,
/// element by element.
PHRASEQ_API at::Tensor log_mean_exp(const std::vector<at::Tensor>& logarithms);

}  // namespace phraseq
