#pragma once

#include <memory>

#include <torch/nn/module.h>

#include "core/nn/linear_map.h"
#include "plugins/architectures/phrase_rep/options.h"
#include "plugins/architectures/phrase_rep/phrase_index.h"

namespace phraseq::phrase_rep {

/// Makes the phrase vectors of one level from its token vectors (Xu et al. 2020, sec. 3.2): a first
/// look at each phrase (eq. 2) and, unless --pr-attn is none, attention over its words from there
/// (eqs. 3-5). Parameters: `fc1` (W1 [hidden, 2 · model] with columns [token | first look], b1),
/// `score.weight` (w2 [1, hidden]) and, for the residual form, `score.bias` (b2 [1]).
class PhraseGenerator : public torch::nn::Module {
 public:
  /// `hidden` is the scorer's width.
  PhraseGenerator(const PhraseRepOptions& options, int64_t hidden);

  /// x [tokens, model] → [phrases, model]. Records "phrase_weights", [tokens].
  at::Tensor forward(const at::Tensor& x, const PhraseIndex& phrases, nn::Context& context) const;
  void initialize(nn::Initializer& initializer);
  double multiply_adds(double tokens, double phrases) const;

 private:
  /// x [tokens, model], glance [phrases, model] → [tokens].
  at::Tensor scores(const at::Tensor& x,
                    const at::Tensor& glance,
                    const PhraseIndex& phrases,
                    nn::Context& context) const;
  at::Tensor gates(const at::Tensor& s) const;

  WordAttention attention_;
  bool max_;
  int64_t model_;
  double dropout_;
  std::shared_ptr<nn::LinearMap> fc1_;
  std::shared_ptr<nn::LinearMap> score_;
};

}  // namespace phraseq::phrase_rep
