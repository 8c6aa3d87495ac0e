#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/nn/context.h"

/// The differentiable functions of the n-gram LSTM on packed rows: one autograd node each, with
/// kernels of their own (lstm_kernels.h, lstm_on_gpu.h), or ATen's operators where there are none
/// (windowed_lstm_reference.h).
///
/// Place w of the window at token t, 0 ≤ w < gram, is token t - (gram-1) + w; before the sentence
/// it is a zero row. Rows are [tokens · streams, …]: stream s of token t is row t · streams + s.
namespace phraseq::phrase_transformer {

/// The windows of all streams: one ends at each token.
struct Windows {
  at::Tensor positions;  ///< [tokens] int64: earlier tokens of the same sentence
  int64_t gram = 1;
  int64_t streams = 1;

  int64_t rows() const { return positions.size(0) * streams; }
};

/// Dropout with a separate mask for each place of each window: rows [rows, width] → [gram · rows,
/// width], place by place.
at::Tensor gather_windows(const at::Tensor& rows,
                          const Windows& windows,
                          double dropout,
                          nn::Context& context);

/// One direction of an LSTM.
struct LstmParameters {
  at::Tensor weight_ih, weight_hh;  ///< [4·width, width]
  at::Tensor bias_ih, bias_hh;      ///< [4·width]
};

/// What the result of the LSTM consists of, and whether windows share products.
struct LstmSetting {
  bool add_hidden = true, add_cell = true;  ///< the states that the result sums
  bool shared_products = true;              ///< all windows with an input share its products
};

/// The sum of the last states of both directions of an LSTM over every window, [rows, width];
/// `backward` reads the windows from their last place to their first.
///
/// `input` has the rows, [rows, width], if their products are shared by all windows; otherwise the
/// rows at each place, [gram · rows, width]. Gate blocks i f g o of x W_ihᵀ + b_ih + h W_hhᵀ +
/// b_hh; with h = c = 0 before the first place,
///
///   i, f, o = σ(·), g = tanh(·),   c ← f c + i g,   h ← o tanh(c)
///
/// The first place has no recurrent product, and no window is computed separately: a step is one
/// matrix product over all rows.
at::Tensor windowed_lstm(const at::Tensor& input,
                         const LstmParameters& forward,
                         const LstmParameters& backward,
                         const Windows& windows,
                         const LstmSetting& setting,
                         nn::Context& context);

}  // namespace phraseq::phrase_transformer
