#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// x Wᵀ + b for the fp32 (fp64) states of recurrent models: under bf16, only the product is bf16;
/// the states that are carried from step to step are not. x […, in], weight [out, in] → […, out];
/// `bias` [out] may be undefined.
PHRASEQ_API at::Tensor recurrent_product(const at::Tensor& x,
                                         const at::Tensor& weight,
                                         const at::Tensor& bias,
                                         Context& context);

}  // namespace phraseq::nn
