#include "plugins/architectures/phrase_rep/decoder.h"

#include <utility>

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"
#include "core/nn/transformer/attention_factory.h"

namespace phraseq::phrase_rep {
namespace {

std::shared_ptr<TransparentAttention> add_mixture(torch::nn::Module& owner,
                                                  const char* name,
                                                  const PhraseRepOptions& o) {
  return owner.register_module(name,
                               std::make_shared<TransparentAttention>(
                                   o.encoder_layers + 1, o.decoder_layers, o.pr_ta_dropout));
}

std::vector<std::shared_ptr<Combination>> make_combinations(torch::nn::Module& owner,
                                                            const PhraseRepOptions& o) {
  return nn::register_list(owner, "phrase_combinations", o.decoder_layers, [&](int64_t) {
    return std::make_shared<Combination>(CombinationOptions::decoder(o));
  });
}

std::vector<std::shared_ptr<nn::TransformerDecoderLayer>> make_layers(torch::nn::Module& owner,
                                                                      const PhraseRepOptions& o) {
  const nn::AttentionFactory attention;
  return nn::register_list(owner, "layers", o.decoder_layers, [&](int64_t layer) {
    return std::make_shared<nn::TransformerDecoderLayer>(
        nn::LayerOptions::decoder(o), attention.decoder_self(o, layer), attention.cross(o, layer));
  });
}

}  // namespace

PhraseDecoder::PhraseDecoder(const PhraseRepOptions& o,
                             int64_t vocabulary,
                             std::shared_ptr<nn::EmbeddingTable> shared)
    : embedding_(
          *this, o, {vocabulary, o.decoder_embed_dim, o.max_target_positions}, std::move(shared)),
      combinations_(make_combinations(*this, o)),
      layers_(make_layers(*this, o)),
      phrase_mixture_(
          o.pr_ta == MixedLevels::kNone ? nullptr : add_mixture(*this, "transparent_attention", o)),
      token_mixture_(o.pr_ta == MixedLevels::kBoth
                         ? add_mixture(*this, "token_transparent_attention", o)
                         : nullptr),
      final_norm_(*this, o.decoder_normalize_before, o.decoder_embed_dim, o.norm_eps),
      output_(*this, o, embedding_.tokens) {}

std::vector<LayerMemory> PhraseDecoder::memories(const EncodedSource& encoded,
                                                 nn::Context& context) const {
  std::vector<LayerMemory> memories(layers_.size(), {encoded.memory, encoded.phrases.back()});
  if (phrase_mixture_) {
    const auto mixtures = phrase_mixture_->forward(encoded.phrases, context);
    for (size_t j = 0; j < memories.size(); ++j) memories[j].phrases = mixtures[j];
  }
  if (token_mixture_) {
    const auto mixtures = token_mixture_->forward(encoded.tokens, context);
    for (size_t j = 0; j < memories.size(); ++j) memories[j].tokens = mixtures[j];
  }
  return memories;
}

at::Tensor PhraseDecoder::forward(const PackedTokens& target,
                                  const EncodedSource& encoded,
                                  const PackedTokens& source,
                                  const PhraseIndex& phrases,
                                  nn::Context& context) const {
  const auto memory = memories(encoded, context);
  at::Tensor y = embedding_.forward(target, context);
  for (size_t j = 0; j < layers_.size(); ++j) {
    y = nn::recomputed(
        {y, memory[j].phrases, memory[j].tokens},
        context,
        [layer = layers_[j], combination = combinations_[j], target, source, phrases](
            const auto& inputs, nn::Context& again) {
          at::Tensor x = layer->attend_to_target(inputs[0], target, again);
          x = combination->forward(x, target, inputs[1], phrases, again);
          x = layer->attend_to_source(x, target, inputs[2], source, again);
          return layer->feed_forward(x, again);
        });
  }
  return final_norm_.forward(y, context);
}

PhraseDecoder::States PhraseDecoder::start(const EncodedSource& encoded,
                                           const PackedTokens& source,
                                           const PhraseIndex& phrases,
                                           nn::Context& context) const {
  const auto memory = memories(encoded, context);
  States states;
  for (size_t j = 0; j < layers_.size(); ++j) {
    states.push_back({layers_[j]->start(memory[j].tokens, source, context),
                      combinations_[j]->start(memory[j].phrases, phrases, context)});
  }
  return states;
}

at::Tensor PhraseDecoder::step(const at::Tensor& last_tokens,
                               States& states,
                               const nn::DecodingRows& rows,
                               nn::Context& context,
                               at::Tensor* cross_weights) const {
  at::Tensor y = embedding_.step(last_tokens, rows.ancestry, context);
  for (size_t j = 0; j < layers_.size(); ++j) {
    at::Tensor* weights = j + 1 == layers_.size() ? cross_weights : nullptr;
    y = layers_[j]->step_to_target(y, states[j].layer, rows, context);
    y = combinations_[j]->step(y, *states[j].phrases, rows, context);
    y = layers_[j]->step_to_source(y, states[j].layer, rows, context, weights);
    y = layers_[j]->feed_forward(y, context);
  }
  return final_norm_.forward(y, context);
}

void PhraseDecoder::initialize(nn::Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& combination : combinations_) combination->initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  for (const auto& mixture : {phrase_mixture_, token_mixture_}) {
    if (mixture)
      mixture->initialize(initializer);
  }
  final_norm_.initialize(initializer);
  output_.initialize(initializer);
}

double PhraseDecoder::multiply_adds(double source_tokens,
                                    double phrases,
                                    double target_tokens) const {
  double sum = output_.multiply_adds(target_tokens);
  for (const auto& combination : combinations_)
    sum += combination->multiply_adds(target_tokens, phrases);
  for (const auto& layer : layers_) sum += layer->multiply_adds(source_tokens, target_tokens);
  return sum;
}

}  // namespace phraseq::phrase_rep
