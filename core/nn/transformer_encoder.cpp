#include <cmath>

#include "core/nn/transformer_model.h"
#include "core/nn/transformer_parts.h"

namespace phraseq::nn {

TransformerEncoder::TransformerEncoder(const TransformerOptions& o, int64_t vocabulary) {
  const int64_t model = o.encoder_embed_dim;
  embed_tokens_ =
      register_module("embed_tokens", std::make_shared<EmbeddingTable>(vocabulary, model));
  embed_positions_ = make_learned_positions(*this, o, o.max_source_positions, model);
  layernorm_embedding_ = make_embedding_norm(*this, o, model);
  embedding_ = make_token_embedding(
      o, embed_tokens_, embed_positions_, layernorm_embedding_, o.max_source_positions);
  layers_ = make_layers<TransformerEncoderLayer>(*this, o.encoder_layers, LayerOptions::encoder(o));
  if (o.encoder_normalize_before) {
    layer_norm_ = register_module("layer_norm", std::make_shared<LayerNorm>(model, o.norm_eps));
  }
}

at::Tensor TransformerEncoder::forward(const PackedTokens& source, Context& context) const {
  at::Tensor x = embedding_->forward(source.ids, source.positions, context);
  for (const auto& layer : layers_) x = layer->forward(x, source, context);
  return layer_norm_ ? layer_norm_->forward(x, context) : x;
}

void TransformerEncoder::initialise(Initialiser& initialiser) {
  initialise_embeddings(initialiser, embed_tokens_, embed_positions_, layernorm_embedding_);
  for (const auto& layer : layers_) layer->initialise(initialiser);
  if (layer_norm_)
    layer_norm_->initialise(initialiser);
}

}  // namespace phraseq::nn
