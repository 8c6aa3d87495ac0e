#include "core/nn/transformer/transformer_encoder.h"

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"

namespace phraseq::nn {
namespace {

std::vector<std::shared_ptr<SelfAttentionLayer>> make_encoder_layers(
    torch::nn::Module& owner, const TransformerOptions& o, const AttentionFactory& attention) {
  return register_list(owner, "layers", o.encoder_drop.kept(o.encoder_layers), [&](int64_t layer) {
    return std::make_shared<SelfAttentionLayer>(LayerOptions::encoder(o),
                                                attention.encoder_self(o, layer));
  });
}

}  // namespace

TransformerEncoder::TransformerEncoder(const TransformerOptions& o,
                                       int64_t vocabulary,
                                       const AttentionFactory& attention)
    : embedding_(*this, o, {vocabulary, o.encoder_embed_dim, o.max_source_positions}),
      layers_(make_encoder_layers(*this, o, attention)),
      final_norm_(*this, o.encoder_normalize_before, o.encoder_embed_dim, o.norm_eps),
      drop_(o.encoder_drop) {}

at::Tensor TransformerEncoder::forward(const PackedTokens& source, Context& context) const {
  at::Tensor x = embedding_.forward(source, context);
  const std::vector<bool> computed = drop_.of_pass(layers_.size(), context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (!computed[i])
      continue;
    x = recomputed({x}, context, [layer = layers_[i], source](const auto& inputs, Context& again) {
      return layer->forward(inputs[0], source, /*causal=*/false, again);
    });
  }
  return final_norm_.forward(x, context);
}

void TransformerEncoder::initialize(Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  final_norm_.initialize(initializer);
}

double TransformerEncoder::multiply_adds(double tokens) const {
  double sum = 0;
  for (const auto& layer : layers_) sum += layer->multiply_adds(tokens);
  return sum;
}

}  // namespace phraseq::nn
