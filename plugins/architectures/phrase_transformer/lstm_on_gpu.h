#pragma once

#include <array>
#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/nn/kernels/kernels.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

namespace phraseq::phrase_transformer {

/// Computes the gradients of the gates from those of h and c; `dc` becomes the gradient of
/// c_before.
struct StepGradient {
  at::Tensor gates, c_before, c, dh, dc, d_gates;
};

}  // namespace phraseq::phrase_transformer

/// The element-wise passes of the n-gram LSTM on a GPU (core/cuda/kernels/lstm.cu). They compute
/// the same as the loops of lstm_kernels.h.
namespace phraseq::phrase_transformer::gpu {

/// Whether there are kernels for these rows [rows, width]: if nn::gpu::has_kernels(), for widths
/// that are multiples of 8.
bool has_lstm_kernels(const at::Tensor& rows);

/// The matrices of one step; those of the step before are undefined at the first one.
struct Step {
  at::Tensor products;  ///< of the inputs, [rows, 4 · width]
  int64_t shift;        ///< a row's products are those of the token this many tokens before
  at::Tensor recurrent, bias, c_before;
  at::Tensor gates, c, h;  ///< written
};
void run_step(const Step& step, const Windows& windows);

/// Computes the gradients of the gates.
void run_step_backward(const StepGradient& step);

/// The sum of the last states of both directions, [rows, width] in `type`; undefined states are
/// not added.
at::Tensor sum_of_last_states(const std::array<at::Tensor, 2>& h,
                              const std::array<at::Tensor, 2>& c,
                              at::ScalarType type);

/// As the functions of lstm_passes.h.
at::Tensor gather_places(const at::Tensor& rows,
                         const Windows& windows,
                         const nn::kernels::Dropout& dropout);
at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout);

}  // namespace phraseq::phrase_transformer::gpu
