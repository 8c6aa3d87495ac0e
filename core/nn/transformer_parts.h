#pragma once

#include <memory>
#include <vector>

#include <torch/nn/module.h>

#include "core/nn/token_embedding.h"
#include "core/nn/transformer_options.h"

/// What the two stacks of a Transformer make alike.
namespace phraseq::nn {

/// `embed_positions` when positions are learned (fairseq's rows: positions + padding id + 1), else
/// null.
std::shared_ptr<EmbeddingTable> make_learned_positions(torch::nn::Module& owner,
                                                       const TransformerOptions& options,
                                                       int64_t positions,
                                                       int64_t width);
/// `layernorm_embedding` when there is one, else null.
std::shared_ptr<LayerNorm> make_embedding_norm(torch::nn::Module& owner,
                                               const TransformerOptions& options,
                                               int64_t width);
std::unique_ptr<TokenEmbedding> make_token_embedding(
    const TransformerOptions& options,
    const std::shared_ptr<EmbeddingTable>& tokens,
    const std::shared_ptr<EmbeddingTable>& positions,
    const std::shared_ptr<LayerNorm>& norm,
    int64_t max_positions);
/// Draws what is not null.
void initialise_embeddings(Initialiser& initialiser,
                           const std::shared_ptr<EmbeddingTable>& tokens,
                           const std::shared_ptr<EmbeddingTable>& positions,
                           const std::shared_ptr<LayerNorm>& norm);

/// `layers.0` … of one kind, registered with the owner.
template <class Layer, class LayerOptionsType>
std::vector<std::shared_ptr<Layer>> make_layers(torch::nn::Module& owner,
                                                int64_t count,
                                                const LayerOptionsType& options) {
  auto list = owner.register_module("layers", std::make_shared<torch::nn::Module>());
  std::vector<std::shared_ptr<Layer>> layers;
  for (int64_t i = 0; i < count; ++i) {
    layers.push_back(list->register_module(std::to_string(i), std::make_shared<Layer>(options)));
  }
  return layers;
}

}  // namespace phraseq::nn
