#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/initialiser.h"

namespace phraseq::nn {

/// Draws square blocks of rows, each with orthonormal rows and columns (Saxe et al. 2014). `matrix`
/// [k · n, n].
PHRASEQ_API void draw_orthogonal(Initialiser& initialiser, at::Tensor& matrix);

}  // namespace phraseq::nn
