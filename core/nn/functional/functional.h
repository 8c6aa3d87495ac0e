#pragma once

/// The coarse differentiable functions that every architecture is made of, on packed rows
/// `[tokens, model]`. Each is one autograd node. On the CPU, they use phraseq's own kernels (fp32,
/// bf16, fp64); on other devices, and in fp16, the same mathematics from ATen's operators.
/// Parameters are given as registered (fp32 masters); under bf16 and fp16 the products read their
/// copies in 16 bits and activations have that type, while sums, norms, softmax and gradients of
/// parameters are fp32.
#include "core/nn/functional/attention.h"
#include "core/nn/functional/embedding.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/normalization.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/loss/projected_loss.h"
