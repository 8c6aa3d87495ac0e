#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/kernels/activation.h"

namespace phraseq::nn {

/// dropout(activation(x Wᵀ + b)), [rows, out]. x [rows, in], weight [out, in], bias [out] or
/// undefined.
PHRASEQ_API at::Tensor linear(const at::Tensor& x,
                              const at::Tensor& weight,
                              const at::Tensor& bias,
                              Context& context,
                              Activation activation = Activation::kNone,
                              double dropout = 0.0);

/// activation(x), [rows, columns]. On the CPU, a row does not depend on the others, to the bit:
/// ATen computes the last elements of a tensor, which fill no vector, by other instructions.
PHRASEQ_API at::Tensor activated(const at::Tensor& x, Activation activation);

/// Several maps of one input x [rows, in] as one product: [rows, out1 + out2 + …]. No copy is made
/// when the weights lie side by side in the flat buffer (FlatParameters puts matrices in order of
/// registration). `biases` is empty or has one for each weight.
PHRASEQ_API at::Tensor stacked_linear(const at::Tensor& x,
                                      const std::vector<at::Tensor>& weights,
                                      const std::vector<at::Tensor>& biases,
                                      Context& context);

}  // namespace phraseq::nn
