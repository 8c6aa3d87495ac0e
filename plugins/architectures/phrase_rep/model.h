#pragma once

#include <memory>

#include "core/nn/architecture.h"
#include "plugins/architectures/phrase_rep/decoder.h"
#include "plugins/architectures/phrase_rep/encoder.h"

namespace phraseq::phrase_rep {

/// The Transformer with source phrase representations (Xu et al., ACL 2020, "Learning Source Phrase
/// Representations for Neural Machine Translation"): phrase vectors are made from every encoder
/// level's tokens, and every layer of both stacks attends to them.
class PhraseRepModel : public Architecture {
 public:
  PhraseRepModel(const PhraseRepOptions& options, const ArchitectureSetup& setup);

  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override;
  int64_t model_width() const override { return options_.encoder_embed_dim; }
  int64_t max_source_positions() const override { return options_.max_source_positions; }
  int64_t max_target_positions() const override { return options_.max_target_positions; }
  void initialize(uint64_t seed) override;
  SequenceConventions conventions() const override;
  /// Assumes that sentences are divided into the shortest phrases.
  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override;

 private:
  PhraseRepOptions options_;
  std::shared_ptr<PhraseEncoder> encoder_;
  std::shared_ptr<PhraseDecoder> decoder_;
};

}  // namespace phraseq::phrase_rep
