#pragma once

#include <memory>

#include "core/nn/architecture.h"
#include "core/nn/recurrent_encoder.h"
#include "plugins/architectures/phrasenet/decoder.h"
#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

/// phraseNet (Tang et al. 2016): RNNsearch that may answer with a phrase of an external memory. Its
/// batches come from the task translation_with_phrase_memory, its loss is phrase_mixture.
class PhraseNetModel final : public Architecture {
 public:
  PhraseNetModel(const PhraseNetOptions& options, const ArchitectureSetup& setup);

  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override;
  int64_t model_width() const override { return options_.hidden; }
  int64_t max_source_positions() const override { return options_.max_source_positions; }
  int64_t max_target_positions() const override { return options_.max_target_positions; }
  void initialise(uint64_t seed) override;
  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override;

 private:
  PhraseNetOptions options_;
  std::shared_ptr<nn::RecurrentEncoder> encoder_;
  std::shared_ptr<PhraseDecoder> decoder_;
};

}  // namespace phraseq::phrasenet
