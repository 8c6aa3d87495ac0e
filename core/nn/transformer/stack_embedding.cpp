#include "core/nn/transformer/stack_embedding.h"

#include <cmath>
#include <utility>

#include <ATen/ops/full.h>

#include "core/text/dictionary.h"

namespace phraseq::nn {
namespace {

TokenEmbeddingOptions token_embedding_options(const TransformerOptions& o,
                                              const StackEmbeddingOptions& sizes) {
  return {o.no_scale_embedding ? 1.0 : std::sqrt(static_cast<double>(sizes.model)),
          o.dropout,
          o.pos,
          sizes.max_positions};
}

}  // namespace

StackEmbedding::StackEmbedding(torch::nn::Module& owner,
                               const TransformerOptions& o,
                               const StackEmbeddingOptions& sizes,
                               std::shared_ptr<EmbeddingTable> shared)
    : owns_tokens(shared == nullptr), tokens(std::move(shared)) {
  const auto add_table = [&](const char* name, int64_t rows) {
    return owner.register_module(name, std::make_shared<EmbeddingTable>(rows, sizes.model));
  };
  if (owns_tokens)
    tokens = add_table("embed_tokens", sizes.vocabulary);
  if (o.pos == PositionKind::kLearned)  // fairseq's rows
    positions_ = add_table("embed_positions", sizes.max_positions + kPad + 1);
  const EmbeddingNorm place = o.embed_norm;
  if (place != EmbeddingNorm::kNo) {
    norm_ = owner.register_module("layernorm_embedding",
                                  std::make_shared<LayerNorm>(sizes.model, o.norm_eps));
  }
  embedding_ = std::make_unique<TokenEmbedding>(
      tokens, positions_, norm_, place, token_embedding_options(o, sizes));
}

at::Tensor StackEmbedding::forward(const PackedTokens& packed, Context& context) const {
  return embedding_->forward(packed.ids, packed.positions, context);
}

at::Tensor StackEmbedding::step(const at::Tensor& last_tokens,
                                const Ancestry& ancestry,
                                Context& context) const {
  const at::Tensor positions =
      at::full(last_tokens.sizes(), ancestry.steps() - 1, last_tokens.options());
  return embedding_->forward(last_tokens, positions, context);
}

void StackEmbedding::initialize(Initializer& initializer) {
  if (owns_tokens)
    initializer.embedding(tokens->weight, kPad);
  if (positions_)
    initializer.embedding(positions_->weight, kPad);
  if (norm_)
    norm_->initialize(initializer);
}

}  // namespace phraseq::nn
