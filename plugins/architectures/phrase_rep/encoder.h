#pragma once

#include <memory>
#include <vector>

#include "core/nn/transformer/stack_embedding.h"
#include "core/nn/transformer/transformer_layer.h"
#include "plugins/architectures/phrase_rep/combination.h"
#include "plugins/architectures/phrase_rep/generator.h"

namespace phraseq::phrase_rep {

/// The encoder's results for a source. Level 0 is made from the embeddings, level i from layer i's
/// output (before the final norm).
struct EncodedSource {
  at::Tensor memory;                ///< [tokens, model]
  std::vector<at::Tensor> tokens;   ///< the levels' tokens, [tokens, model] each
  std::vector<at::Tensor> phrases;  ///< the levels' phrases, [phrases, model] each
};

/// Encoder layers that first attend to the phrases of their input (Xu et al. 2020, fig. 2). In
/// addition to the Transformer's parameters: `phrase_generators.0` …, one per level,
/// `phrase_combinations.0` …, one per layer.
class PhraseEncoder : public torch::nn::Module {
 public:
  PhraseEncoder(const PhraseRepOptions& options, int64_t vocabulary);
  EncodedSource forward(const PackedTokens& source,
                        const PhraseIndex& phrases,
                        nn::Context& context) const;
  void initialize(nn::Initializer& initializer);
  double multiply_adds(double tokens, double phrases) const;
  const std::shared_ptr<nn::EmbeddingTable>& embed_tokens() const { return embedding_.tokens; }

 private:
  nn::StackEmbedding embedding_;
  std::vector<std::shared_ptr<PhraseGenerator>> generators_;
  std::vector<std::shared_ptr<Combination>> combinations_;
  std::vector<std::shared_ptr<nn::SelfAttentionLayer>> layers_;
  nn::FinalNorm final_norm_;
};

}  // namespace phraseq::phrase_rep
