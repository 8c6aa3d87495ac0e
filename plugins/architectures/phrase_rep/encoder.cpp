#include "plugins/architectures/phrase_rep/encoder.h"

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"
#include "core/nn/transformer/attention_factory.h"

namespace phraseq::phrase_rep {
namespace {

/// One per level.
std::vector<std::shared_ptr<PhraseGenerator>> make_generators(torch::nn::Module& owner,
                                                              const PhraseRepOptions& o) {
  const Widths scorer = o.scorer_widths();
  return nn::register_list(owner, "phrase_generators", o.encoder_layers + 1, [&](int64_t level) {
    return std::make_shared<PhraseGenerator>(
        o, level < o.encoder_layers ? scorer.encoder : scorer.decoder);
  });
}

std::vector<std::shared_ptr<Combination>> make_encoder_combinations(torch::nn::Module& owner,
                                                                    const PhraseRepOptions& o) {
  return nn::register_list(owner, "phrase_combinations", o.encoder_layers, [&](int64_t) {
    return std::make_shared<Combination>(CombinationOptions::encoder(o));
  });
}

std::vector<std::shared_ptr<nn::SelfAttentionLayer>> make_encoder_layers(
    torch::nn::Module& owner, const PhraseRepOptions& o) {
  return nn::register_list(owner, "layers", o.encoder_layers, [&](int64_t layer) {
    return std::make_shared<nn::SelfAttentionLayer>(nn::LayerOptions::encoder(o),
                                                    nn::AttentionFactory().encoder_self(o, layer));
  });
}

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
    : embedding_(*this, o, {vocabulary, o.encoder_embed_dim, o.max_source_positions}),
      generators_(make_generators(*this, o)),
      combinations_(make_encoder_combinations(*this, o)),
      layers_(make_encoder_layers(*this, o)),
      final_norm_(*this, o.encoder_normalize_before, o.encoder_embed_dim, o.norm_eps) {}

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
                         return layer->forward(combined, source, /*causal=*/false, again);
                       });
  }
  encoded.tokens.push_back(x);
  encoded.phrases.push_back(generate(generators_.back(), x, phrases, context));
  encoded.memory = final_norm_.forward(x, context);
  return encoded;
}

void PhraseEncoder::initialize(nn::Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& generator : generators_) generator->initialize(initializer);
  for (const auto& combination : combinations_) combination->initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  final_norm_.initialize(initializer);
}

double PhraseEncoder::multiply_adds(double tokens, double phrases) const {
  double sum = 0;
  for (const auto& generator : generators_) sum += generator->multiply_adds(tokens, phrases);
  for (const auto& combination : combinations_) sum += combination->multiply_adds(tokens, phrases);
  for (const auto& layer : layers_) sum += layer->multiply_adds(tokens);
  return sum;
}

}  // namespace phraseq::phrase_rep
