#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/data/batch.h"
#include "core/nn/context.h"
#include "core/nn/initializer.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

namespace phraseq::phrase_transformer {

/// The sizes and settings of one NgramLstm.
struct NgramLstmOptions {
  int64_t gram = 3;             ///< rows of a window
  int64_t width = 0;            ///< width of input and state
  double dropout = 0.0;         ///< on the input
  bool window_dropout = false;  ///< a separate mask for each place of each window
  bool add_hidden = true;       ///< the result includes the last hidden states
  bool add_cell = true;         ///< … the last cell states
};

/// A bidirectional LSTM (Hochreiter & Schmidhuber 1997) over the window of `gram` rows that ends at
/// each token, with zero rows before the sentence (Nguyen & Nguyen 2022, eq. 2):
///
///   f_t = h_fwd + h_bwd + c_fwd + c_bwd   after s[t-gram+1] … s[t] and s[t] … s[t-gram+1]
///
/// Parameters as torch.nn.LSTM(width, width, bidirectional=True) names them, gates i f g o:
/// `weight_ih_l0` [4·width, width], `weight_hh_l0`, `bias_ih_l0` [4·width], `bias_hh_l0`, and the
/// same with `_reverse`.
class NgramLstm : public torch::nn::Module {
 public:
  explicit NgramLstm(const NgramLstmOptions& options);

  /// rows [tokens · streams, width], a token's streams one after the other; each stream is a
  /// separate sequence → the same shape.
  at::Tensor forward(const at::Tensor& rows,
                     const PackedTokens& tokens,
                     nn::Context& context) const;
  /// Weights Glorot uniform over the stacked [4·width, width] matrix, biases U(±1/√width).
  void initialize(nn::Initializer& initializer);
  /// Counts the products of a training pass; with window dropout, no input products are shared.
  double multiply_adds(double rows) const;
  int64_t gram() const { return options_.gram; }

 private:
  NgramLstmOptions options_;
  LstmParameters forward_, backward_;
};

}  // namespace phraseq::phrase_transformer
