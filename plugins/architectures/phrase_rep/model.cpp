#include "plugins/architectures/phrase_rep/model.h"

#include "core/nn/transformer/decoder_session.h"
#include "core/nn/transformer/transformer_model.h"

namespace phraseq::phrase_rep {

PhraseRepModel::PhraseRepModel(const PhraseRepOptions& options, const ArchitectureSetup& setup)
    : options_(options) {
  nn::check_shared_embeddings(options, setup);
  encoder_ =
      register_module("encoder", std::make_shared<PhraseEncoder>(options, setup.source_vocabulary));
  const auto shared = options.share_all_embeddings ? encoder_->embed_tokens() : nullptr;
  decoder_ = register_module(
      "decoder", std::make_shared<PhraseDecoder>(options, setup.target_vocabulary, shared));
}

DecoderOutput PhraseRepModel::forward(const Batch& batch, nn::Context& context) {
  const PhraseIndex phrases = PhraseIndex::of(batch);
  const EncodedSource encoded = encoder_->forward(batch.source, phrases, context);
  return decoder_->project(
      decoder_->forward(batch.target_in, encoded, batch.source, phrases, context));
}

std::unique_ptr<DecodingSession> PhraseRepModel::start_decoding(const Batch& batch,
                                                                const DecodingLimits& limits,
                                                                nn::Context& context) {
  const PhraseIndex phrases = PhraseIndex::of(batch);
  const EncodedSource encoded = encoder_->forward(batch.source, phrases, context);
  return std::make_unique<nn::DecoderSession<PhraseDecoder>>(
      decoder_,
      decoder_->start(encoded, batch.source, phrases, context),
      batch.source,
      limits,
      context);
}

void PhraseRepModel::initialize(uint64_t seed) {
  nn::Initializer initializer(options_.init, seed);
  encoder_->initialize(initializer);
  decoder_->initialize(initializer);
}

SequenceConventions PhraseRepModel::conventions() const {
  SequenceConventions conventions = nn::conventions_of(options_);
  conventions.extend = phrase_extension(options_.segmentation());
  return conventions;
}

double PhraseRepModel::multiply_adds(int64_t source_tokens, int64_t target_tokens) const {
  const auto source = static_cast<double>(source_tokens);
  const double phrases = source / static_cast<double>(options_.pr_seg_min);
  return encoder_->multiply_adds(source, phrases) +
         decoder_->multiply_adds(source, phrases, static_cast<double>(target_tokens));
}

}  // namespace phraseq::phrase_rep
