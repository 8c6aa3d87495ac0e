#pragma once

#include "core/nn/transformer/transformer_model.h"
#include "plugins/architectures/phrasal_attention/options.h"

namespace phraseq::phrasal {

/// The Transformer with phrasal attention in the encoder, in the decoder or between them.
class PhrasalAttentionModel : public nn::TransformerModel {
 public:
  PhrasalAttentionModel(const PhrasalAttentionOptions& options, const ArchitectureSetup& setup);
};

}  // namespace phraseq::phrasal
