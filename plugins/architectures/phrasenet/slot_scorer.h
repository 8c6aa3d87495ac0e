#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/nn/linear_map.h"
#include "core/nn/recurrent/gru_cell.h"
#include "core/nn/recurrent/readout.h"
#include "core/nn/token_embedding.h"
#include "plugins/architectures/phrasenet/batch_phrases.h"
#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

/// phraseNet_gate's classifier of slots, which knows only their numbers:
///
///     W_p tanh(U_p s + C_p c + V_p e + b)
///
/// The content of a slot affects its score only through the tags in c. Not a module: its
/// parameters, `phrase_readout` and `phrase_output` [slots, embed], are registered with its owner.
class SlotClassifier {
 public:
  SlotClassifier(torch::nn::Module& owner, const PhraseNetOptions& options, int64_t slots);
  /// [rows, slots]
  at::Tensor scores(const nn::DecisionState& decision, nn::Context& context) const;
  void initialize(nn::RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  std::shared_ptr<nn::Readout> readout_;
  std::shared_ptr<nn::LinearMap> output_;
};

/// phraseNet_softmax's scores of phrases by their content: a gated recurrent network reads each
/// phrase from its last word to its first, and e_p is its last state,
///
///     ψ_k = w · tanh(U_q s + C_q c + V_q e + R_q e_pk)
///
/// Parameters of its owner: `phrase_rnn`, `phrase_readout` (with R_q as `phrase`, without bias),
/// `phrase_output` [1, embed].
class PhraseScorer {
 public:
  PhraseScorer(torch::nn::Module& owner, const PhraseNetOptions& options, int64_t slots);

  /// R_q e_p of every slot, [sentences, slots, embed]; zeros if there is no such slot.
  at::Tensor phrases(const BatchPhrases& batch,
                     const nn::EmbeddingTable& words,
                     nn::Context& context) const;
  /// [rows, slots], `of_row` [rows, slots, embed]: the phrases of each row's sentence.
  at::Tensor scores(const nn::DecisionState& decision,
                    const at::Tensor& of_row,
                    nn::Context& context) const;
  void initialize(nn::RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  std::shared_ptr<nn::GruCell> rnn_;
  std::shared_ptr<nn::Readout> readout_;
  std::shared_ptr<nn::LinearMap> phrase_, output_;
};

}  // namespace phraseq::phrasenet
