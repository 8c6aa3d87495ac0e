#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/kernels/activation.h"

namespace phraseq::nn {

/// The operations after the product of a linear map: dropout(activation(x)).
struct Epilogue {
  Activation activation = Activation::kNone;
  double p = 0.0;
  uint64_t key = 0;

  bool is_identity() const { return activation == Activation::kNone && key == 0; }
  /// kGelu and kSwish need their input again for the gradient, kRelu and kSigmoid their output.
  bool keeps_input() const {
    return activation == Activation::kGelu || activation == Activation::kSwish;
  }
  bool keeps_output() const {
    return activation == Activation::kRelu || activation == Activation::kSigmoid;
  }
  kernels::Dropout dropout() const { return cpu::make_dropout(p, key); }
};

/// y = dropout(activation(x + bias)): x and y [rows, columns], bias [columns] or undefined.
void run_epilogue(const at::Tensor& x,
                  const at::Tensor& bias,
                  const at::Tensor& y,
                  Activation activation,
                  const kernels::Dropout& dropout);

/// Returns dz [rows, columns] for dy [rows, columns], and adds the gradient of the bias to `d_bias`
/// [columns] if it is defined. kept: the epilogue's input or output, if it needs one of them.
at::Tensor undo_epilogue(const at::Tensor& dy,
                         const at::Tensor& kept,
                         const Epilogue& epilogue,
                         const at::Tensor& d_bias);

}  // namespace phraseq::nn
