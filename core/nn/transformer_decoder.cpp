#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "core/nn/transformer_model.h"
#include "core/nn/transformer_parts.h"
#include "core/text/dictionary.h"

namespace phraseq::nn {

TransformerDecoder::TransformerDecoder(const TransformerOptions& o,
                                       int64_t vocabulary,
                                       std::shared_ptr<EmbeddingTable> shared)
    : owns_embedding_(shared == nullptr), embed_tokens_(std::move(shared)) {
  const int64_t model = o.decoder_embed_dim;
  if (owns_embedding_) {
    embed_tokens_ =
        register_module("embed_tokens", std::make_shared<EmbeddingTable>(vocabulary, model));
  }
  embed_positions_ = make_learned_positions(*this, o, o.max_target_positions, model);
  layernorm_embedding_ = make_embedding_norm(*this, o, model);
  embedding_ = make_token_embedding(
      o, embed_tokens_, embed_positions_, layernorm_embedding_, o.max_target_positions);
  layers_ = make_layers<TransformerDecoderLayer>(*this, o.decoder_layers, LayerOptions::decoder(o));
  if (o.decoder_normalize_before) {
    layer_norm_ = register_module("layer_norm", std::make_shared<LayerNorm>(model, o.norm_eps));
  }
  if (!o.share_all_embeddings && !o.share_decoder_input_output_embed) {
    output_projection_ = register_module(
        "output_projection", std::make_shared<LinearMap>(model, vocabulary, /*with_bias=*/false));
  }
  if (o.out_bias)
    output_bias_ = register_parameter("output_bias", at::empty({vocabulary}));
  if (o.forbid_outputs)
    forbidden_ = {kBos, kPad};
}

at::Tensor TransformerDecoder::finish(const at::Tensor& x, Context& context) const {
  return layer_norm_ ? layer_norm_->forward(x, context) : x;
}

at::Tensor TransformerDecoder::forward(const PackedTokens& target,
                                       const at::Tensor& memory,
                                       const PackedTokens& source,
                                       Context& context,
                                       at::Tensor* cross_weights) const {
  at::Tensor x = embedding_->forward(target.ids, target.positions, context);
  for (const auto& layer : layers_) {
    const bool last = layer == layers_.back();
    x = layer->forward(x, target, memory, source, context, last ? cross_weights : nullptr);
  }
  return finish(x, context);
}

std::vector<DecoderLayerState> TransformerDecoder::start(const at::Tensor& memory,
                                                         Context& context) const {
  std::vector<DecoderLayerState> states;
  for (const auto& layer : layers_) states.push_back(layer->start(memory, context));
  return states;
}

at::Tensor TransformerDecoder::step(const at::Tensor& last_tokens,
                                    std::vector<DecoderLayerState>& states,
                                    const DecodingRows& rows,
                                    Context& context,
                                    at::Tensor* cross_weights) const {
  const at::Tensor positions =
      at::full(last_tokens.sizes(), rows.ancestry.steps() - 1, last_tokens.options());
  at::Tensor x = embedding_->forward(last_tokens, positions, context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const bool last = i + 1 == layers_.size();
    x = layers_[i]->step(x, states[i], rows, context, last ? cross_weights : nullptr);
  }
  return finish(x, context);
}

DecoderOutput TransformerDecoder::project(const at::Tensor& hidden) const {
  DecoderOutput output;
  output.hidden = hidden;
  output.output_weight = output_projection_ ? output_projection_->weight : embed_tokens_->weight;
  output.output_bias = output_bias_;
  output.forbidden = forbidden_;
  return output;
}

void TransformerDecoder::initialise(Initialiser& initialiser) {
  initialise_embeddings(initialiser,
                        owns_embedding_ ? embed_tokens_ : nullptr,
                        embed_positions_,
                        layernorm_embedding_);
  for (const auto& layer : layers_) layer->initialise(initialiser);
  if (layer_norm_)
    layer_norm_->initialise(initialiser);
  if (output_projection_)
    initialiser.embedding(output_projection_->weight, /*padding_row=*/-1);
  if (output_bias_.defined())
    initialiser.constant(output_bias_, 0.0);
}

}  // namespace phraseq::nn
