#pragma once

#include <ATen/core/Tensor.h>

namespace phraseq::nn {

/// The type of sums and of parameter vectors that are used with activations of `type`.
inline at::ScalarType sum_type(at::ScalarType type) {
  return type == at::kDouble ? at::kDouble : at::kFloat;
}
inline at::ScalarType sum_type(const at::Tensor& x) { return sum_type(x.scalar_type()); }

}  // namespace phraseq::nn
