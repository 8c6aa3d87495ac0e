#include "plugins/architectures/phrase_rep/encoder.h"

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"
#include "core/nn/transformer/attention_factory.h"

namespace phraseq::phrase_rep {
namespace {

at::Tensor generate(const std::shared_ptr<PhraseGenerator>& generator,
                    const at::Tensor& x,
                    const PhraseIndex& phrases,
                    nn::Context& context) {
  return nn::recomputed({x}, context, [generator, phrases](const auto& inputs, nn::Context& again) {
    return generator->forward(inputs[0], phrases, again);
  });
}

}  // namespace

PhraseEncoder::PhraseEncoder(const PhraseRepOptions& o, int64_t vocabulary)
    : embedding_(*this, o, {vocabulary, o.encoder_embed_dim, o.max_source_positions}) {
  const int64_t layers = o.encoder_layers;
  const Widths scorer = o.scorer_widths();
  generators_ = nn::register_list(*this, "phrase_generators", layers + 1, [&](int64_t level) {
    return std::make_shared<PhraseGenerator>(o, level < layers ? scorer.encoder : scorer.decoder);
  });
  combinations_ = nn::register_list(*this, "phrase_combinations", layers, [&](int64_t) {
    return std::make_shared<Combination>(CombinationOptions::encoder(o));
  });
  layers_ = nn::register_list(*this, "layers", layers, [&](int64_t layer) {
    return std::make_shared<nn::TransformerEncoderLayer>(
        nn::LayerOptions::encoder(o), nn::AttentionFactory().encoder_self(o, layer));
  });
  layer_norm_ =
      nn::register_final_norm(*this, o.encoder_normalize_before, o.encoder_embed_dim, o.norm_eps);
}

EncodedSource PhraseEncoder::forward(const PackedTokens& source,
                                     const PhraseIndex& phrases,
                                     nn::Context& context) const {
  EncodedSource encoded;
  at::Tensor x = embedding_.forward(source, context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    encoded.tokens.push_back(x);
    encoded.phrases.push_back(generate(generators_[i], x, phrases, context));
    x = nn::recomputed({x, encoded.phrases.back()},
                       context,
                       [combination = combinations_[i], layer = layers_[i], source, phrases](
                           const auto& inputs, nn::Context& again) {
                         const at::Tensor combined =
                             combination->forward(inputs[0], source, inputs[1], phrases, again);
                         return layer->forward(combined, source, again);
                       });
  }
  encoded.tokens.push_back(x);
  encoded.phrases.push_back(generate(generators_.back(), x, phrases, context));
  encoded.memory = layer_norm_ ? layer_norm_->forward(x, context) : x;
  return encoded;
}

void PhraseEncoder::initialize(nn::Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& generator : generators_) generator->initialize(initializer);
  for (const auto& combination : combinations_) combination->initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  if (layer_norm_)
    layer_norm_->initialize(initializer);
}

double PhraseEncoder::multiply_adds(double tokens, double phrases) const {
  double sum = 0;
  for (const auto& generator : generators_) sum += generator->multiply_adds(tokens, phrases);
  for (const auto& combination : combinations_) sum += combination->multiply_adds(tokens, phrases);
  for (const auto& layer : layers_) sum += layer->multiply_adds(tokens);
  return sum;
}

}  // namespace phraseq::phrase_rep
