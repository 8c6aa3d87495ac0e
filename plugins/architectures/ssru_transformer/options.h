#pragma once

#include "core/nn/transformer/transformer_options.h"

namespace phraseq::ssru_transformer {

/// A Transformer whose decoder has recurrent units in place of self-attention. Defaults are
/// Marian's conventions (which include both pre-norm and post-norm) with fairseq's sizes.
struct SsruTransformerOptions : nn::TransformerOptions {
  SsruTransformerOptions();

  bool ssru_projection = false;

  void describe(OptionTable& table) override;
};

}  // namespace phraseq::ssru_transformer
