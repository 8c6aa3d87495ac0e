#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn::gpu {

/// Whether there is a kernel for the product of x [rows, inner] and `weight` [columns, inner]: for
/// up to 8 rows.
PHRASEQ_API bool few_rows_product_applies(const at::Tensor& x, const at::Tensor& weight);

/// x weightᵀ + bias, with a ReLU if `relu`, without autograd: [rows, columns]. `bias` [columns] in
/// the type of x, or undefined.
PHRASEQ_API at::Tensor few_rows_product(const at::Tensor& x,
                                        const at::Tensor& weight,
                                        const at::Tensor& bias,
                                        bool relu);

}  // namespace phraseq::nn::gpu
