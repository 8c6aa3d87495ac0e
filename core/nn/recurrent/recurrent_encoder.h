#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/recurrent/gru_cell.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/recurrent_options.h"
#include "core/nn/token_embedding.h"

namespace phraseq::nn {

/// Two gated recurrent networks over the source, one from its first word and one from its last:
/// h_j = [forward_j; backward_j]. Parameters `embed_tokens`, `forward_rnn`, `backward_rnn`.
class PHRASEQ_API RecurrentEncoder : public torch::nn::Module {
 public:
  RecurrentEncoder(const RecurrentOptions& options, int64_t vocabulary);
  /// [source tokens, 2 · hidden]
  at::Tensor forward(const PackedTokens& source, Context& context) const;
  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double tokens) const;

 private:
  std::shared_ptr<EmbeddingTable> embed_tokens_;
  std::shared_ptr<GruCell> forward_rnn_, backward_rnn_;
};

/// Plain embeddings of ids [rows] in the type of the states, [rows, embed].
PHRASEQ_API at::Tensor recurrent_embedding(const at::Tensor& ids,
                                           const EmbeddingTable& table,
                                           Context& context);

}  // namespace phraseq::nn
