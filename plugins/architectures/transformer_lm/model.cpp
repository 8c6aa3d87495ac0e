#include "plugins/architectures/transformer_lm/model.h"

#include "core/nn/transformer/decoder_session.h"

namespace phraseq::transformer_lm {
namespace {

constexpr int64_t kUsualPositions = 1024;

int64_t extra(const ArchitectureSetup& setup, const char* name, int64_t otherwise) {
  const auto found = setup.extras.find(name);
  return found == setup.extras.end() ? otherwise : found->second;
}

/// The <s> of a block does not count in --max-target-positions, as in fairseq, except for learned
/// positions, which have no embedding for it.
int64_t positions(const LanguageModelOptions& options, const ArchitectureSetup& setup) {
  if (options.max_positions == 0)
    return extra(setup, "max_block_tokens", kUsualPositions);
  const bool is_learned = options.pos == nn::PositionKind::kLearned;
  return options.max_positions + (is_learned ? 0 : extra(setup, "start_with_bos", 0));
}

}  // namespace

TransformerLanguageModel::TransformerLanguageModel(const LanguageModelOptions& options,
                                                   const ArchitectureSetup& setup)
    : options_(options),
      max_positions_(positions(options, setup)),
      start_with_bos_(extra(setup, "start_with_bos", 0) != 0) {
  decoder_ = register_module(
      "decoder", std::make_shared<CausalDecoder>(options, setup.target_vocabulary, max_positions_));
}

DecoderOutput TransformerLanguageModel::forward(const Batch& batch, nn::Context& context) {
  return decoder_->project(decoder_->forward(batch.target_in, context));
}

std::unique_ptr<DecodingSession> TransformerLanguageModel::start_decoding(
    const Batch& batch, const DecodingLimits& limits, nn::Context& context) {
  return std::make_unique<nn::DecoderSession<CausalDecoder>>(
      decoder_, decoder_->start(), batch.source, limits, context);
}

void TransformerLanguageModel::initialize(uint64_t seed) {
  nn::Initializer initializer(options_.init, seed);
  decoder_->initialize(initializer);
}

SequenceConventions TransformerLanguageModel::conventions() const {
  SequenceConventions conventions;
  conventions.start_with_bos = start_with_bos_;
  conventions.reads_source = false;
  return conventions;
}

double TransformerLanguageModel::multiply_adds(int64_t /*source_tokens*/,
                                               int64_t target_tokens) const {
  return decoder_->multiply_adds(static_cast<double>(target_tokens));
}

}  // namespace phraseq::transformer_lm
