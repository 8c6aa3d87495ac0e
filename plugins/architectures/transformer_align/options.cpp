#include "plugins/architectures/transformer_align/options.h"

#include <fmt/format.h>

namespace phraseq::transformer_align {

void TransformerAlignOptions::describe(OptionTable& table) {
  TransformerOptions::describe(table);
  table
      .field("alignment-heads",
             alignment_heads,
             "Number of attention heads, the first of the alignment layer, whose mean is the "
             "alignment.")
      .at_least(1);
  table
      .field("alignment-layer",
             alignment_layer,
             "Decoder layer, from 0, whose attention to the source is the alignment. With "
             "--decoder-layers-to-keep, the layers that are kept are counted, as in fairseq.")
      .at_least(0);
  table.field("full-context-alignment",
              full_context_alignment,
              "Compute the alignment in a second pass of the decoder, in which every target token "
              "sees the whole target sentence.");
}

std::vector<std::string> TransformerAlignOptions::problems() const {
  std::vector<std::string> found = TransformerOptions::problems();
  const auto layers = static_cast<int64_t>(decoder_drop.kept(decoder_layers).size());
  if (alignment_layer >= layers) {
    found.push_back(fmt::format(
        "--alignment-layer {}: expected 0 to {}{}",
        alignment_layer,
        layers - 1,
        layers == decoder_layers ? "" : ", among the layers of --decoder-layers-to-keep"));
  }
  if (alignment_heads > decoder_attention_heads) {
    found.push_back(fmt::format("--alignment-heads {} is greater than --decoder-attention-heads {}",
                                alignment_heads,
                                decoder_attention_heads));
  }
  return found;
}

}  // namespace phraseq::transformer_align
