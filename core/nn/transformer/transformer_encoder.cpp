#include "core/nn/transformer/transformer_encoder.h"

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"

namespace phraseq::nn {

TransformerEncoder::TransformerEncoder(const TransformerOptions& o,
                                       int64_t vocabulary,
                                       const AttentionFactory& attention)
    : embedding_(*this, o, {vocabulary, o.encoder_embed_dim, o.max_source_positions}),
      drop_(o.encoder_drop) {
  layers_ = register_list(*this, "layers", drop_.kept(o.encoder_layers), [&](int64_t layer) {
    return std::make_shared<TransformerEncoderLayer>(LayerOptions::encoder(o),
                                                     attention.encoder_self(o, layer));
  });
  layer_norm_ =
      register_final_norm(*this, o.encoder_normalize_before, o.encoder_embed_dim, o.norm_eps);
}

at::Tensor TransformerEncoder::forward(const PackedTokens& source, Context& context) const {
  at::Tensor x = embedding_.forward(source, context);
  const std::vector<bool> computed = drop_.of_pass(layers_.size(), context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (!computed[i])
      continue;
    x = recomputed({x}, context, [layer = layers_[i], source](const auto& inputs, Context& again) {
      return layer->forward(inputs[0], source, again);
    });
  }
  return layer_norm_ ? layer_norm_->forward(x, context) : x;
}

void TransformerEncoder::initialize(Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  if (layer_norm_)
    layer_norm_->initialize(initializer);
}

double TransformerEncoder::multiply_adds(double tokens) const {
  double sum = 0;
  for (const auto& layer : layers_) sum += layer->multiply_adds(tokens);
  return sum;
}

}  // namespace phraseq::nn
