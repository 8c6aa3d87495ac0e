#pragma once

#include "core/nn/transformer/transformer_model.h"
#include "core/translate/extras/finished_alignment.h"
#include "plugins/architectures/transformer_align/options.h"

namespace phraseq::transformer_align {

/// The Transformer that learns to translate and to align (Garg et al. 2019, "Jointly Learning to
/// Align and Translate with Transformer Models"): its alignment is the mean of the first
/// --alignment-heads heads of --alignment-layer's attention to the source.
///
/// For a batch with links (has_alignment_links), the output has kAlignmentProbabilities. With
/// --full-context-alignment, they are computed by a second pass of the decoder without the causal
/// mask (sec. 4.2), which has its own dropout masks.
class TransformerAlign final : public nn::TransformerModel, public AlignsTranslations {
 public:
  TransformerAlign(const TransformerAlignOptions& options, const ArchitectureSetup& setup);

  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  at::Tensor align(const Batch& batch, nn::Context& context) override;

 private:
  int64_t alignment_layer_;
  bool full_context_;
};

}  // namespace phraseq::transformer_align
