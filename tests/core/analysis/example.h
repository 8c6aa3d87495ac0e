#pragma once

#include "core/analysis/recorded.h"

namespace phraseq::analysis {

/// Two target tokens in the decoder and three source tokens, with interleaved attention of two
/// heads in layers 1 and 11 and the weights of phrase representations.
inline RecordedSentence example_sentence() {
  const RecordedTensor weights{
      "decoder.layers.0.encoder_attn.weights",
      {2, 2, 2, 2, 3},
      // clang-format off
      //  words           bigrams (the first does not exist)
      {1.0F, 0.0F, 0.0F,  0.0F, 0.0F, 0.0F,   // head 1, u0
       0.1F, 0.2F, 0.1F,  0.0F, 0.3F, 0.3F,   //         u1
       0.1F, 0.1F, 0.7F,  0.0F, 0.1F, 0.0F,   // head 2, u0
       0.0F, 0.5F, 0.0F,  0.0F, 0.4F, 0.1F,   //         u1
       0.0F, 0.0F, 0.0F,  0.0F, 0.0F, 0.0F,   // head 1, c0, which does not exist
       0.2F, 0.1F, 0.2F,  0.0F, 0.2F, 0.3F,   //         c1
       0.0F, 0.0F, 0.0F,  0.0F, 0.0F, 0.0F,   // head 2, c0
       0.0F, 0.1F, 0.6F,  0.0F, 0.2F, 0.1F},  //         c1
      // clang-format on
      {}};
  RecordedTensor deep = weights;
  deep.name = "decoder.layers.10.encoder_attn.weights";
  return {6,
          {"the", "cat", "</s>"},
          {"</s>", "das"},
          {deep,
           weights,
           {"encoder.phrase_generators.0.phrase_weights", {3}, {0.25F, 0.75F, 1.0F}, {}},
           {"decoder.mixture.transparent_attention", {2, 1}, {0.5F, 0.125F}, {{"levels", {0, 1}}}}},
          {"das", "</s>"}};
}

}  // namespace phraseq::analysis
