#pragma once

#include <memory>

#include "core/nn/architecture.h"
#include "core/nn/recurrent_decoder.h"
#include "core/nn/recurrent_encoder.h"
#include "core/nn/recurrent_options.h"

namespace phraseq {

/// RNNsearch (Bahdanau et al. 2015) with coverage (Tu et al. 2016): a bidirectional gated recurrent
/// encoder, and a decoder that attends to it in every step.
class RnnSearchModel final : public Architecture {
 public:
  RnnSearchModel(const nn::RecurrentOptions& options, const ArchitectureSetup& setup);

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
  nn::RecurrentOptions options_;
  std::shared_ptr<nn::RecurrentEncoder> encoder_;
  std::shared_ptr<nn::RecurrentDecoder> decoder_;
};

}  // namespace phraseq
