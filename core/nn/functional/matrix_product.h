#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// a b [m, n] for matrices a [m, k] and b [k, n] of any strides, by the processor's tile registers
/// or the fastest library that LibTorch brings. Not differentiable; for use inside autograd
/// functions.
///
/// at::mm passes fp32 on the CPU to MKL, which uses no more than AVX2 on processors that are not
/// Intel's. If such a processor has AVX-512, oneDNN computes large fp32 products, 2.3× as fast on
/// an AMD EPYC of family 26 (3200 × 256 × 2048: 240 instead of 103 GFLOP/s with one thread).
PHRASEQ_API at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b);

/// product [m, n] = a b, into contiguous rows.
PHRASEQ_API void matrix_product_into(const at::Tensor& product,
                                     const at::Tensor& a,
                                     const at::Tensor& b);

/// sum [m, n] += a b. The sum has the type of the factors or, with 16-bit factors, fp32; it may be
/// a range of columns of a wider matrix.
PHRASEQ_API void add_matrix_product(const at::Tensor& sum,
                                    const at::Tensor& a,
                                    const at::Tensor& b);

}  // namespace phraseq::nn
