#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/transformer/transformer_options.h"
#include "plugins/architectures/phrasal_attention/ngrams.h"

namespace phraseq::phrasal {

/// The Transformer's options and those of phrasal attention (Nguyen & Joty 2018). Defaults are the
/// paper's: tensor2tensor's conventions and interleaved attention with QUERYK everywhere.
struct PhrasalAttentionOptions : nn::TransformerOptions {
  std::string pa_type = "interleaved";
  std::string pa_method = "queryk";
  std::string
      pa_ngrams;  ///< empty: half of the heads with n = 1 and half with 2; n-grams of 1 and 2
  std::vector<std::string> pa_where = {"enc", "dec", "cross"};
  std::string pa_out = "replace-o";
  std::string pa_scale = "dhn";
  bool pa_conv_bias = false;

  PhrasalAttentionOptions();
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// `--pa-ngrams` for a stack's attention, the default filled in: heads of n = 1, 2, … for
  /// homogeneous attention, else the lengths in ascending order.
  std::vector<int64_t> ngrams_for(Stack stack) const;
  int64_t heads_of(Stack stack) const;
  bool applies_to(const std::string& place) const;  ///< "enc", "dec" or "cross"
};

}  // namespace phraseq::phrasal
