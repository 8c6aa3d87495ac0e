#pragma once

#include <memory>

#include "core/nn/recurrent/recurrent_decoder.h"
#include "core/nn/recurrent/recurrent_model.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::rnnsearch {

/// RNNsearch (Bahdanau et al. 2015) with coverage (Tu et al. 2016): a bidirectional gated recurrent
/// encoder, and a decoder that attends to it in every step.
class RnnSearchModel final : public nn::RecurrentModel<nn::RecurrentDecoder> {
 public:
  RnnSearchModel(const nn::RecurrentOptions& options, const ArchitectureSetup& setup);

  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override;
};

}  // namespace phraseq::rnnsearch
