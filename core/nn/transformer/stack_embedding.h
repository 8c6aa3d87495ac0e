#pragma once

#include <memory>

#include <torch/nn/module.h>

#include "core/data/batch.h"
#include "core/nn/functional/incremental.h"
#include "core/nn/token_embedding.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// The sizes of the embeddings of one stack.
struct StackEmbeddingOptions {
  int64_t vocabulary = 0;
  int64_t model = 0;
  int64_t max_positions = 1024;
};

/// The bottom of a Transformer's encoder or decoder according to the options: a part of the stack,
/// which registers `embed_tokens`, `embed_positions` (learned positions), `layernorm_embedding`
/// (with --embed-norm) under its own name as fairseq does.
struct PHRASEQ_API StackEmbedding {
  /// `shared`: the matrix of another stack, which is used instead of a separate one; null = a
  /// separate one.
  StackEmbedding(torch::nn::Module& owner,
                 const TransformerOptions& options,
                 const StackEmbeddingOptions& sizes,
                 std::shared_ptr<EmbeddingTable> shared = nullptr);

  /// [tokens, model]
  at::Tensor forward(const PackedTokens& tokens, Context& context) const;
  /// Embeds the tokens of the newest decoding step, [rows] → [rows, model].
  at::Tensor step(const at::Tensor& last_tokens, const Ancestry& ancestry, Context& context) const;
  /// Initializes the parameters that the stack owns.
  void initialize(Initializer& initializer);

  bool owns_tokens;
  std::shared_ptr<EmbeddingTable> tokens;

 private:
  std::shared_ptr<EmbeddingTable> positions_;
  std::shared_ptr<LayerNorm> norm_;
  std::unique_ptr<TokenEmbedding> embedding_;
};

}  // namespace phraseq::nn
