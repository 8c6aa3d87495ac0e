#include "plugins/architectures/transformer_lm/causal_decoder.h"

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"
#include "core/nn/transformer/attention_factory.h"

namespace phraseq::transformer_lm {
namespace {

std::vector<std::shared_ptr<nn::SelfAttentionLayer>> make_layers(torch::nn::Module& owner,
                                                                 const LanguageModelOptions& o) {
  const nn::AttentionFactory attention;
  return nn::register_list(
      owner, "layers", o.decoder_drop.kept(o.decoder_layers), [&](int64_t layer) {
        return std::make_shared<nn::SelfAttentionLayer>(nn::LayerOptions::decoder(o),
                                                        attention.decoder_self(o, layer));
      });
}

}  // namespace

CausalDecoder::CausalDecoder(const LanguageModelOptions& o,
                             int64_t vocabulary,
                             int64_t max_positions)
    : embedding_(*this, o, {vocabulary, o.decoder_embed_dim, max_positions}),
      layers_(make_layers(*this, o)),
      final_norm_(*this,
                  o.decoder_normalize_before && !o.no_decoder_final_norm,
                  o.decoder_embed_dim,
                  o.norm_eps),
      output_(*this, o, embedding_.tokens),
      drop_(o.decoder_drop) {}

at::Tensor CausalDecoder::forward(const PackedTokens& tokens, nn::Context& context) const {
  at::Tensor x = embedding_.forward(tokens, context);
  const std::vector<bool> computed = drop_.of_pass(layers_.size(), context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (!computed[i])
      continue;
    x = nn::recomputed(
        {x}, context, [layer = layers_[i], tokens](const auto& inputs, nn::Context& again) {
          return layer->forward(inputs[0], tokens, /*causal=*/true, again);
        });
  }
  return final_norm_.forward(x, context);
}

CausalDecoder::States CausalDecoder::start() const {
  States states;
  for (const auto& layer : layers_) states.push_back(layer->start());
  return states;
}

at::Tensor CausalDecoder::step(const at::Tensor& last_tokens,
                               States& states,
                               const nn::DecodingRows& rows,
                               nn::Context& context,
                               at::Tensor* /*cross_weights*/) const {
  at::Tensor x = embedding_.step(last_tokens, rows.ancestry, context);
  for (size_t i = 0; i < layers_.size(); ++i) x = layers_[i]->step(x, states[i], rows, context);
  return final_norm_.forward(x, context);
}

void CausalDecoder::initialize(nn::Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  final_norm_.initialize(initializer);
  output_.initialize(initializer);
}

double CausalDecoder::multiply_adds(double tokens) const {
  double sum = output_.multiply_adds(tokens);
  for (const auto& layer : layers_) sum += layer->multiply_adds(tokens);
  return sum;
}

}  // namespace phraseq::transformer_lm
