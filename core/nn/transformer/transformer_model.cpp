#include "core/nn/transformer/transformer_model.h"

#include "core/base/error.h"
#include "core/nn/transformer/decoder_session.h"

namespace phraseq::nn {

SequenceConventions conventions_of(const TransformerOptions& options) {
  SequenceConventions conventions;
  conventions.start_with_bos = options.start_token == StartToken::kBos;
  conventions.source_has_bos = options.source_bos;
  conventions.source_has_eos = options.source_eos;
  return conventions;
}

void check_shared_embeddings(const TransformerOptions& options, const ArchitectureSetup& setup) {
  if (!options.share_all_embeddings || setup.joined_dictionary)
    return;
  throw UsageError(
      "--share-all-embeddings needs a joined dictionary",
      "Preprocess with --joined-dictionary, or give --share-all-embeddings no: presets and "
      "architectures may set it.");
}

TransformerModel::TransformerModel(const TransformerOptions& options,
                                   const ArchitectureSetup& setup,
                                   const AttentionFactory& attention)
    : options_(options) {
  check_shared_embeddings(options, setup);
  encoder_ = register_module(
      "encoder", std::make_shared<TransformerEncoder>(options, setup.source_vocabulary, attention));
  const auto shared = options.share_all_embeddings ? encoder_->embed_tokens() : nullptr;
  decoder_ = register_module(
      "decoder",
      std::make_shared<TransformerDecoder>(options, setup.target_vocabulary, shared, attention));
}

DecoderOutput TransformerModel::forward(const Batch& batch, Context& context) {
  const at::Tensor memory = encoder_->forward(batch.source, context);
  return decoder_->project(decoder_->forward(batch.target_in, memory, batch.source, context));
}

std::unique_ptr<DecodingSession> TransformerModel::start_decoding(const Batch& batch,
                                                                  const DecodingLimits& limits,
                                                                  Context& context) {
  const at::Tensor memory = encoder_->forward(batch.source, context);
  return std::make_unique<DecoderSession<TransformerDecoder>>(
      decoder_, decoder_->start(memory, batch.source, context), batch.source, limits, context);
}

void TransformerModel::initialize(uint64_t seed) {
  Initializer initializer(options_.init, seed);
  encoder_->initialize(initializer);
  decoder_->initialize(initializer);
}

double TransformerModel::multiply_adds(int64_t source_tokens, int64_t target_tokens) const {
  const auto source = static_cast<double>(source_tokens);
  return encoder_->multiply_adds(source) +
         decoder_->multiply_adds(source, static_cast<double>(target_tokens));
}

}  // namespace phraseq::nn
