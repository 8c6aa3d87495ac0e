#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/kernels/activation.h"

/// The coarse differentiable functions that every architecture is made of are in this folder:
/// linear, attention, normalization, embedding; the loss is core/nn/loss/projected_loss.h. They
/// work on packed rows `[tokens, model]`, and each is one autograd node. On the CPU, they use
/// phraseq's own kernels (fp32, bf16, fp64); on other devices, and in fp16, ATen's operators
/// compute the same. Parameters are passed as registered (fp32 masters); under bf16 and fp16, the
/// products read their 16-bit copies and activations have that type, while sums, norms, softmax and
/// gradients of parameters are fp32.
namespace phraseq::nn {

/// dropout(activation(x Wᵀ + b)), [rows, out]. x [rows, in], weight [out, in], bias [out] or
/// undefined.
PHRASEQ_API at::Tensor linear(const at::Tensor& x,
                              const at::Tensor& weight,
                              const at::Tensor& bias,
                              Context& context,
                              Activation activation = Activation::kNone,
                              double dropout = 0.0);

/// activation(x), [rows, columns]. On the CPU, the bits of a row do not depend on the other rows,
/// as they would with ATen, which computes the last elements of a tensor, if they do not fill a
/// vector, by other instructions.
PHRASEQ_API at::Tensor activated(const at::Tensor& x, Activation activation);

/// Several maps of one input x [rows, in] as one product: [rows, out1 + out2 + …]. No copy is made
/// if the weights are adjacent in the flat buffer (FlatParameters puts matrices in order of
/// registration). `biases` is empty or has one for each weight.
PHRASEQ_API at::Tensor stacked_linear(const at::Tensor& x,
                                      const std::vector<at::Tensor>& weights,
                                      const std::vector<at::Tensor>& biases,
                                      Context& context);

}  // namespace phraseq::nn
