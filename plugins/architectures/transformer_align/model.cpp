#include "plugins/architectures/transformer_align/model.h"

#include "core/data/alignments/alignment_links.h"
#include "plugins/architectures/transformer_align/alignment_attention.h"

namespace phraseq::transformer_align {

TransformerAlign::TransformerAlign(const TransformerAlignOptions& options,
                                   const ArchitectureSetup& setup)
    : TransformerModel(options, setup, AlignmentFactory(options)),
      alignment_layer_(options.alignment_layer),
      full_context_(options.full_context_alignment) {}

DecoderOutput TransformerAlign::forward(const Batch& batch, nn::Context& context) {
  if (!has_alignment_links(batch))
    return TransformerModel::forward(batch, context);
  const at::Tensor memory = encoder().forward(batch.source, context);  // [source tokens, model]
  at::Tensor weights;  // [target tokens, longest source]
  DecoderOutput output = decoder().project(decoder().forward(batch.target_in,
                                                             memory,
                                                             batch.source,
                                                             context,
                                                             full_context_ ? nullptr : &weights,
                                                             alignment_layer_));
  if (full_context_) {
    weights = decoder().full_context_weights(
        batch.target_in, memory, batch.source, alignment_layer_, context);
  }
  output.extras[kAlignmentProbabilities] = weights;
  return output;
}

at::Tensor TransformerAlign::align(const Batch& batch, nn::Context& context) {
  const at::Tensor memory = encoder().forward(batch.source, context);  // [source tokens, model]
  if (full_context_) {
    return decoder().full_context_weights(
        batch.target_in, memory, batch.source, alignment_layer_, context);
  }
  at::Tensor weights;  // [target tokens, longest source]
  decoder().forward(batch.target_in, memory, batch.source, context, &weights, alignment_layer_);
  return weights;
}

}  // namespace phraseq::transformer_align
