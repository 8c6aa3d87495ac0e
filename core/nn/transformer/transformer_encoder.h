#pragma once

#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/stack_embedding.h"
#include "core/nn/transformer/transformer_layer.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// A stack of encoder layers over the embedded source. Parameters: `embed_tokens`,
/// `embed_positions` (learned), `layernorm_embedding`, `layers.N`, `layer_norm` (pre-norm).
class PHRASEQ_API TransformerEncoder : public torch::nn::Module {
 public:
  TransformerEncoder(const TransformerOptions& options,
                     int64_t vocabulary,
                     const AttentionFactory& attention);
  /// [source tokens, model]
  at::Tensor forward(const PackedTokens& source, Context& context) const;
  void initialize(Initializer& initializer);
  double multiply_adds(double tokens) const;
  const std::shared_ptr<EmbeddingTable>& embed_tokens() const { return embedding_.tokens; }

 private:
  StackEmbedding embedding_;
  std::vector<std::shared_ptr<SelfAttentionLayer>> layers_;
  FinalNorm final_norm_;
  LayerDrop drop_;
};

}  // namespace phraseq::nn
