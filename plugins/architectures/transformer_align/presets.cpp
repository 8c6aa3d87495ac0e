#include "plugins/architectures/transformer_align/presets.h"

#include "plugins/architectures/transformer_align/options.h"

namespace phraseq::transformer_align {
namespace {

void wmt_en_de_big_align(TransformerAlignOptions& o) {
  nn::use_fairseq_conventions(o);
  o.set_sizes(1024, 4096, 16, 6);
  o.set_dropout(0.3, 0.1, 0.0);
  o.alignment_heads = 1;
  o.alignment_layer = 4;
  o.full_context_alignment = false;
}

/// One head of the second-to-last layer learns the alignment, as in the paper.
void tiny(TransformerAlignOptions& o) {
  nn::use_fairseq_conventions(o);
  nn::use_tiny_size(o);
  o.alignment_heads = 1;
  o.alignment_layer = 2;
  o.full_context_alignment = false;
}

}  // namespace

std::vector<Preset> transformer_align_presets() {
  return {preset("transformer_wmt_en_de_big_align",
                 "1024/4096, 16 heads, 6+6 layers, dropout 0.3, 0.1, 0; the alignment is head 0 of "
                 "layer 4 (fairseq 0.12's, with its label smoothing and schedule)",
                 wmt_en_de_big_align,
                 with_decoder_sizes(fairseq_training())),
          preset("transformer_align_tiny",
                 "128/256, 4 heads, 4+4 layers, pre-norm, dropout 0.2, 0, 0; the alignment is head "
                 "0 of layer 2",
                 tiny,
                 small_corpus_training())};
}

}  // namespace phraseq::transformer_align
