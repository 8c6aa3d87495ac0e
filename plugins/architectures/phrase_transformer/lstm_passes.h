#pragma once

#include <array>
#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/nn/kernels/kernels.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

/// The passes of the n-gram LSTM on the CPU, for the nodes of windowed_lstm.h: they run the loops
/// of lstm_kernels.h over whole tensors and know nothing of autograd.
namespace phraseq::phrase_transformer {

/// [rows, width] → [gram · rows, width]: what stands at each place of each window.
at::Tensor gather_places(const at::Tensor& rows,
                         const Windows& windows,
                         const nn::kernels::Dropout& dropout);

/// [gram · rows, width] → [rows, width]: what all places of a row add up to.
at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout);

/// What a forward pass makes and the backward pass reads, by place of the windows; without a
/// backward pass all places share the memory of one.
struct Steps {
  at::Tensor gates;  ///< [gram, rows, 4·width], activated
  at::Tensor c, h;   ///< [gram, rows, width], after the place
};

/// One direction over all windows: the places in the order of its steps, and where the recurrence
/// stands among them.
struct DirectionPass {
  int64_t gram() const { return windows.gram; }
  int64_t place(int64_t step) const { return reversed ? gram() - 1 - step : step; }
  int64_t last() const { return place(gram() - 1); }
  /// All places but the first step's, and for each of them the one before: two blocks side by side.
  at::Tensor with_past(const at::Tensor& places) const {
    return places.narrow(0, reversed ? 0 : 1, gram() - 1).flatten(0, 1);  // [(gram - 1) · rows, …]
  }
  at::Tensor pasts(const at::Tensor& places) const {
    return places.narrow(0, reversed ? 1 : 0, gram() - 1).flatten(0, 1);  // [(gram - 1) · rows, …]
  }

  const Windows& windows;
  const LstmSetting& setting;
  bool reversed;
};

/// One direction, from the products of its inputs (LstmSetting::shared_products). `keep`: for a
/// backward pass.
Steps run_forward(const at::Tensor& products,
                  const LstmParameters& parameters,
                  const DirectionPass& pass,
                  bool keep);

/// The sum that the setting asks for of the last states of both directions, [rows, width].
at::Tensor sum_of_last_states(const std::array<Steps, 2>& both,
                              const Windows& windows,
                              const LstmSetting& setting);

/// The gradients of the products of each place, [gram, rows, 4·width], from that of the last state.
at::Tensor run_backward(const Steps& steps,
                        const at::Tensor& weight_hh,
                        const DirectionPass& pass,
                        const at::Tensor& d_last);

}  // namespace phraseq::phrase_transformer
