#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The sums of the columns of x [rows, columns], in the same order in every run: [columns] in fp32,
/// fp64 for x in fp64. On a GPU, phraseq's own kernel is used if there is one.
PHRASEQ_API at::Tensor column_sums(const at::Tensor& x);

/// A gradient [rows, columns] and the sums of its columns [columns], in fp32.
struct SummedGradient {
  at::Tensor gradient, sums;
};

namespace gpu {

/// The gradient of x in y = dropout(max(x, 0)) [rows, columns] from that of y, in one pass; p is 0
/// where nothing was dropped. For contiguous tensors with has_kernels().
PHRASEQ_API SummedGradient relu_dropout_backward(const at::Tensor& dy,
                                                 const at::Tensor& y,
                                                 double p);

}  // namespace gpu

}  // namespace phraseq::nn
