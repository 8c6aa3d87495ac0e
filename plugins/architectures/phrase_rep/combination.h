#pragma once

#include <memory>

#include <torch/nn/module.h>

#include "core/nn/linear_map.h"
#include "core/nn/transformer/multihead_attention.h"
#include "core/nn/transformer/residual_norm.h"
#include "plugins/architectures/phrase_rep/options.h"
#include "plugins/architectures/phrase_rep/phrase_index.h"

namespace phraseq::phrase_rep {

/// Settings that all combinations of one stack share.
struct CombinationOptions {
  static CombinationOptions encoder(const PhraseRepOptions& options);
  static CombinationOptions decoder(const PhraseRepOptions& options);

  nn::MultiheadAttentionOptions attention;
  int64_t hidden = 0;
  bool bias2 = false;
  bool add_both = false;  ///< the residual is x + o instead of x
  bool centered = false;  ///< sigmoid(…) - ½ instead of sigmoid(…)
  double activation_dropout = 0.0;
  nn::ResidualOptions residual;
};

/// Attentive combination (Xu et al. 2020, sec. 3.4): rows attend to phrases, and a network of two
/// layers joins both (eqs. 7 and 8),
///
///     o = MultiHead(x, R, R),   n = W4 sigmoid(W3 [x ; o] + b3) + b4,   LN(x + n),
///
/// as a sub-layer with residual and norm. `centered` subtracts ½, the hidden units' mean at the
/// start, from the sigmoid: the same functions, with b4 - ½ W4 1 for b4. Parameters: `phrase_attn`,
/// `fc1` (W3), `fc2` (W4), `layer_norm`.
class Combination : public torch::nn::Module {
 public:
  explicit Combination(const CombinationOptions& options);

  /// x [rows, model], phrase vectors [phrases, phrase model] → [rows, model].
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& rows,
                     const at::Tensor& vectors,
                     const PhraseIndex& phrases,
                     nn::Context& context) const;

  /// The phrases' keys and values, computed once per batch for `step`.
  std::unique_ptr<nn::AttentionState> start(const at::Tensor& vectors,
                                            const PhraseIndex& phrases,
                                            nn::Context& context) const;
  /// One step of all rows, x [rows, model] → [rows, model].
  at::Tensor step(const at::Tensor& x,
                  nn::AttentionState& state,
                  const nn::DecodingRows& rows,
                  nn::Context& context) const;

  void initialize(nn::Initializer& initializer);
  double multiply_adds(double rows, double phrases) const;

 private:
  /// The rest of the sub-layer, from the attention's output `o` for the sub-layer's input `h` on;
  /// x, h, o [rows, model] → [rows, model].
  at::Tensor combine(const at::Tensor& x,
                     const at::Tensor& h,
                     const at::Tensor& o,
                     nn::Context& context) const;
  /// [h ; o] [rows, 2 · model] → the network's hidden units [rows, hidden], after dropout.
  at::Tensor hidden(const at::Tensor& both, nn::Context& context) const;

  std::shared_ptr<nn::MultiheadCrossAttention> attention_;
  std::shared_ptr<nn::LinearMap> fc1_, fc2_;
  nn::ResidualConnection residual_;
  CombinationOptions options_;
};

}  // namespace phraseq::phrase_rep
