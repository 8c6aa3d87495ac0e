#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/module.h>

#include "core/nn/context.h"
#include "core/nn/initializer.h"

namespace phraseq::phrase_rep {

/// A separate mixture of the encoder's levels for every decoder layer (Bapna et al. 2018; Xu et al.
/// 2020, eq. 6): R^j = Σ_i softmax_i(W[:, j])_i R^i. Parameter: `weight` [levels, decoder layers].
class TransparentAttention : public torch::nn::Module {
 public:
  TransparentAttention(int64_t levels, int64_t decoder_layers, double dropout);

  /// Levels [rows, model] → one mixture [rows, model] per decoder layer; rows are tokens or
  /// phrases. Records "transparent_attention", [levels, decoder layers].
  std::vector<at::Tensor> forward(const std::vector<at::Tensor>& levels,
                                  nn::Context& context) const;
  void initialize(nn::Initializer& initializer);

  at::Tensor weight;

 private:
  double dropout_;
};

}  // namespace phraseq::phrase_rep
