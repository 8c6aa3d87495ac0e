#pragma once

#include <memory>

#include "core/nn/architecture.h"
#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/transformer_decoder.h"
#include "core/nn/transformer/transformer_encoder.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// The sequence conventions under these options.
PHRASEQ_API SequenceConventions conventions_of(const TransformerOptions& options);

/// The encoder-decoder Transformer (Vaswani et al. 2017) with every switch of TransformerOptions. A
/// variant that changes only the attention provides its own factory.
class PHRASEQ_API TransformerModel : public Architecture {
 public:
  TransformerModel(const TransformerOptions& options,
                   const ArchitectureSetup& setup,
                   const AttentionFactory& attention = AttentionFactory());

  DecoderOutput forward(const Batch& batch, Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  Context& context) override;
  int64_t model_width() const override { return options_.encoder_embed_dim; }
  int64_t max_source_positions() const override { return options_.max_source_positions; }
  int64_t max_target_positions() const override { return options_.max_target_positions; }
  void initialize(uint64_t seed) override;
  SequenceConventions conventions() const override { return conventions_of(options_); }
  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override;

 protected:
  const TransformerEncoder& encoder() const { return *encoder_; }
  const TransformerDecoder& decoder() const { return *decoder_; }

 private:
  TransformerOptions options_;
  std::shared_ptr<TransformerEncoder> encoder_;
  std::shared_ptr<TransformerDecoder> decoder_;
};

/// Throws UsageError if all embeddings are to share one matrix, but there are two different
/// dictionaries.
PHRASEQ_API void check_shared_embeddings(const TransformerOptions& options,
                                         const ArchitectureSetup& setup);

}  // namespace phraseq::nn
