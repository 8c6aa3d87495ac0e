#include "core/nn/transformer_model.h"

#include "core/base/error.h"
#include "core/nn/transformer_session.h"

namespace phraseq::nn {

TransformerModel::TransformerModel(const TransformerOptions& options,
                                   const ArchitectureSetup& setup)
    : options_(options), target_vocabulary_(setup.target_vocabulary) {
  if (options.share_all_embeddings && !setup.joined_dictionary) {
    throw UsageError("--share-all-embeddings needs one dictionary for both languages",
                     "preprocess with --joined-dictionary, or leave the option out");
  }
  encoder_ = register_module(
      "encoder", std::make_shared<TransformerEncoder>(options, setup.source_vocabulary));
  const auto shared = options.share_all_embeddings ? encoder_->embed_tokens() : nullptr;
  decoder_ = register_module(
      "decoder", std::make_shared<TransformerDecoder>(options, setup.target_vocabulary, shared));
}

DecoderOutput TransformerModel::forward(const Batch& batch, Context& context) {
  const at::Tensor memory = encoder_->forward(batch.source, context);
  return decoder_->project(decoder_->forward(batch.target_in, memory, batch.source, context));
}

std::unique_ptr<DecodingSession> TransformerModel::start_decoding(const Batch& batch,
                                                                  const DecodingLimits& limits,
                                                                  Context& context) {
  const at::Tensor memory = encoder_->forward(batch.source, context);
  return std::make_unique<TransformerSession>(decoder_, memory, batch.source, limits, context);
}

void TransformerModel::initialise(uint64_t seed) {
  Initialiser initialiser(initialisation_style_from(options_.init), seed);
  encoder_->initialise(initialiser);
  decoder_->initialise(initialiser);
}

double TransformerModel::multiply_adds(int64_t source_tokens, int64_t target_tokens) const {
  const auto e = static_cast<double>(options_.encoder_embed_dim);
  const auto d = static_cast<double>(options_.decoder_embed_dim);
  const double encoder_layer =
      4 * e * e + 2 * e * static_cast<double>(options_.encoder_ffn_embed_dim);
  const double decoder_layer =
      6 * d * d + 2 * d * static_cast<double>(options_.decoder_ffn_embed_dim);
  const double memory = 2 * e * d * static_cast<double>(options_.decoder_layers);
  const double a_source = encoder_layer * static_cast<double>(options_.encoder_layers) + memory;
  const double a_target = decoder_layer * static_cast<double>(options_.decoder_layers) +
                          d * static_cast<double>(target_vocabulary_);
  return a_source * static_cast<double>(source_tokens) +
         a_target * static_cast<double>(target_tokens);
}

}  // namespace phraseq::nn
