#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/criterion/declared_criterion.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::transformer_align {

/// A Transformer in which one of the attentions to the source learns alignments. Defaults are those
/// of fairseq 0.12's `transformer_align`.
struct TransformerAlignOptions final : nn::TransformerOptions, DeclaresCriterion {
  int64_t alignment_heads = 1;
  int64_t alignment_layer = 4;
  bool full_context_alignment = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::string declared_criterion() const override {
    return "label_smoothed_cross_entropy_with_alignment";
  }
};

}  // namespace phraseq::transformer_align
