#include "core/nn/transformer/transformer_decoder.h"

#include <utility>

#include "core/nn/memory/recompute.h"
#include "core/nn/module_list.h"

namespace phraseq::nn {
namespace {

std::vector<std::shared_ptr<TransformerDecoderLayer>> make_layers(
    torch::nn::Module& owner, const TransformerOptions& o, const AttentionFactory& attention) {
  return register_list(owner, "layers", o.decoder_drop.kept(o.decoder_layers), [&](int64_t layer) {
    return std::make_shared<TransformerDecoderLayer>(
        LayerOptions::decoder(o), attention.decoder_self(o, layer), attention.cross(o, layer));
  });
}

}  // namespace

TransformerDecoder::TransformerDecoder(const TransformerOptions& o,
                                       int64_t vocabulary,
                                       std::shared_ptr<EmbeddingTable> shared,
                                       const AttentionFactory& attention)
    : embedding_(
          *this, o, {vocabulary, o.decoder_embed_dim, o.max_target_positions}, std::move(shared)),
      layers_(make_layers(*this, o, attention)),
      final_norm_(*this, o.decoder_normalize_before, o.decoder_embed_dim, o.norm_eps),
      output_(*this, o, embedding_.tokens),
      drop_(o.decoder_drop) {}

at::Tensor TransformerDecoder::forward(const PackedTokens& target,
                                       const at::Tensor& memory,
                                       const PackedTokens& source,
                                       Context& context,
                                       at::Tensor* cross_weights,
                                       int64_t weights_layer) const {
  at::Tensor x = embedding_.forward(target, context);
  const size_t observed =
      weights_layer < 0 ? layers_.size() - 1 : static_cast<size_t>(weights_layer);
  const std::vector<bool> computed = drop_.of_pass(layers_.size(), context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i == observed && cross_weights != nullptr) {
      x = layers_[i]->forward(x, target, memory, source, context, cross_weights);
      continue;
    }
    if (!computed[i])
      continue;
    x = recomputed({x, memory},
                   context,
                   [layer = layers_[i], target, source](const auto& inputs, Context& again) {
                     return layer->forward(inputs[0], target, inputs[1], source, again);
                   });
  }
  return final_norm_.forward(x, context);
}

at::Tensor TransformerDecoder::full_context_weights(const PackedTokens& target,
                                                    const at::Tensor& memory,
                                                    const PackedTokens& source,
                                                    int64_t weights_layer,
                                                    Context& context) const {
  at::Tensor x = embedding_.forward(target, context);
  const auto observed = static_cast<size_t>(weights_layer);
  for (size_t i = 0; i < observed; ++i) {
    x = layers_[i]->attend_to_target(x, target, context, /*causal=*/false);
    x = layers_[i]->attend_to_source(x, target, memory, source, context);
    x = layers_[i]->feed_forward(x, context);
  }
  x = layers_[observed]->attend_to_target(x, target, context, /*causal=*/false);
  at::Tensor weights;  // [target tokens, longest source]
  layers_[observed]->attend_to_source(x, target, memory, source, context, &weights);
  return weights;
}

TransformerDecoder::States TransformerDecoder::start(const at::Tensor& memory,
                                                     const PackedTokens& source,
                                                     Context& context) const {
  States states;
  for (const auto& layer : layers_) states.push_back(layer->start(memory, source, context));
  return states;
}

at::Tensor TransformerDecoder::step(const at::Tensor& last_tokens,
                                    States& states,
                                    const DecodingRows& rows,
                                    Context& context,
                                    at::Tensor* cross_weights) const {
  at::Tensor x = embedding_.step(last_tokens, rows.ancestry, context);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const bool last = i + 1 == layers_.size();
    x = layers_[i]->step(x, states[i], rows, context, last ? cross_weights : nullptr);
  }
  return final_norm_.forward(x, context);
}

void TransformerDecoder::initialize(Initializer& initializer) {
  embedding_.initialize(initializer);
  for (const auto& layer : layers_) layer->initialize(initializer);
  final_norm_.initialize(initializer);
  output_.initialize(initializer);
}

double TransformerDecoder::multiply_adds(double source_tokens, double target_tokens) const {
  double sum = output_.multiply_adds(target_tokens);
  for (const auto& layer : layers_) sum += layer->multiply_adds(source_tokens, target_tokens);
  return sum;
}

}  // namespace phraseq::nn
