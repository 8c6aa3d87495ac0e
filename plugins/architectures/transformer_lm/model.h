#pragma once

#include <memory>

#include "core/nn/architecture.h"
#include "plugins/architectures/transformer_lm/causal_decoder.h"
#include "plugins/architectures/transformer_lm/options.h"

namespace phraseq::transformer_lm {

/// A language model: a Transformer decoder that reads only its own output. The batch's source only
/// determines the number of sentences that a session decodes.
class TransformerLanguageModel final : public Architecture {
 public:
  TransformerLanguageModel(const LanguageModelOptions& options, const ArchitectureSetup& setup);

  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override;
  int64_t model_width() const override { return options_.decoder_embed_dim; }
  int64_t max_source_positions() const override { return max_positions_; }
  int64_t max_target_positions() const override { return max_positions_; }
  void initialize(uint64_t seed) override;
  SequenceConventions conventions() const override;
  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override;

 private:
  LanguageModelOptions options_;
  int64_t max_positions_;
  bool start_with_bos_;
  std::shared_ptr<CausalDecoder> decoder_;
};

}  // namespace phraseq::transformer_lm
