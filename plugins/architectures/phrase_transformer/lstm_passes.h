#pragma once

#include <array>
#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/nn/kernels/kernels.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

/// The passes of the n-gram LSTM for the nodes of windowed_lstm.h: they run the loops of
/// lstm_kernels.h, or on a GPU the kernels of lstm_on_gpu.h, over whole tensors and know nothing of
/// autograd.
namespace phraseq::phrase_transformer {

/// [rows, width] → [gram · rows, width]: the rows at each place of all windows.
at::Tensor gather_places(const at::Tensor& rows,
                         const Windows& windows,
                         const nn::kernels::Dropout& dropout);

/// [gram · rows, width] → [rows, width]: the sum over all places of each row.
at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout);

/// The results of a forward pass that the backward pass reads, by place of the windows. Without a
/// backward pass, all places share the memory of one.
struct Steps {
  at::Tensor gates;  ///< [gram, rows, 4·width], activated
  at::Tensor c, h;   ///< [gram, rows, width], after the place
};

/// One direction over all windows: the order of its places, and the pairs of places between which
/// the recurrence runs.
struct DirectionPass {
  int64_t gram() const { return windows.gram; }
  int64_t place(int64_t step) const { return reversed ? gram() - 1 - step : step; }
  int64_t last() const { return place(gram() - 1); }
  /// All places except that of the first step; `pasts` returns the place before each of them. Both
  /// are contiguous blocks.
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

/// The sum of the last states of both directions, as the setting requires, [rows, width].
at::Tensor sum_of_last_states(const std::array<Steps, 2>& both,
                              const Windows& windows,
                              const LstmSetting& setting);

/// The gradients of the products of each place, [gram, rows, 4·width], from the gradient of the
/// last state.
at::Tensor run_backward(const Steps& steps,
                        const at::Tensor& weight_hh,
                        const DirectionPass& pass,
                        const at::Tensor& d_last);

}  // namespace phraseq::phrase_transformer
