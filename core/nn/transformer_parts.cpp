#include "core/nn/transformer_parts.h"

#include <cmath>

#include "core/text/dictionary.h"

namespace phraseq::nn {

std::shared_ptr<EmbeddingTable> make_learned_positions(torch::nn::Module& owner,
                                                       const TransformerOptions& options,
                                                       int64_t positions,
                                                       int64_t width) {
  if (position_kind_from(options.pos) != PositionKind::kLearned)
    return nullptr;
  auto table = std::make_shared<EmbeddingTable>(positions + kPad + 1, width);
  return owner.register_module("embed_positions", table);
}

std::shared_ptr<LayerNorm> make_embedding_norm(torch::nn::Module& owner,
                                               const TransformerOptions& options,
                                               int64_t width) {
  if (embedding_norm_from(options.embed_norm) == EmbeddingNorm::kNo)
    return nullptr;
  return owner.register_module("layernorm_embedding",
                               std::make_shared<LayerNorm>(width, options.norm_eps));
}

std::unique_ptr<TokenEmbedding> make_token_embedding(
    const TransformerOptions& options,
    const std::shared_ptr<EmbeddingTable>& tokens,
    const std::shared_ptr<EmbeddingTable>& positions,
    const std::shared_ptr<LayerNorm>& norm,
    int64_t max_positions) {
  const auto width = static_cast<double>(tokens->weight.size(1));
  TokenEmbeddingOptions embedding;
  embedding.scale = options.no_scale_embedding ? 1.0 : std::sqrt(width);
  embedding.dropout = options.dropout;
  embedding.positions = position_kind_from(options.pos);
  embedding.max_positions = max_positions;
  return std::make_unique<TokenEmbedding>(
      tokens, positions, norm, embedding_norm_from(options.embed_norm), embedding);
}

void initialise_embeddings(Initialiser& initialiser,
                           const std::shared_ptr<EmbeddingTable>& tokens,
                           const std::shared_ptr<EmbeddingTable>& positions,
                           const std::shared_ptr<LayerNorm>& norm) {
  if (tokens)
    initialiser.embedding(tokens->weight, kPad);
  if (positions)
    initialiser.embedding(positions->weight, kPad);
  if (norm)
    norm->initialise(initialiser);
}

}  // namespace phraseq::nn
