#pragma once

#include <memory>

#include "core/nn/recurrent/recurrent_model.h"
#include "plugins/architectures/phrasenet/decoder.h"
#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

/// phraseNet (Tang et al. 2016): RNNsearch that may generate a phrase from an external memory. Its
/// batches come from the task translation_with_phrase_memory, and its loss is phrase_mixture.
class PhraseNetModel final : public nn::RecurrentModel<PhraseNetDecoder> {
 public:
  PhraseNetModel(const PhraseNetOptions& options, const ArchitectureSetup& setup);

  SequenceConventions conventions() const override { return {.reads_phrases = true}; }
  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override;

 private:
  PhraseNetOptions options_;
};

}  // namespace phraseq::phrasenet
