#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/packed/packed_matrix.h"

namespace phraseq::nn {

/// The packed matrix to use for a product of x [rows, in] with `weights` [out, in], stacked: null
/// if the parameters are not packed (pack_weights), a gradient is recorded, the precision is not
/// fp32, or the libraries' product is faster. `stack` is called the first time, and concatenates
/// the weights to one tensor [Σ out, in].
PHRASEQ_API const PackedMatrix* packed_matrix(const at::Tensor& x,
                                              at::TensorList weights,
                                              const Context& context,
                                              const std::function<at::Tensor()>& stack);

}  // namespace phraseq::nn
