#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/criterion/declared_criterion.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::transformer_lm {

/// The decoder's half of TransformerOptions, and the options that only a language model has.
/// Defaults are those of fairseq 0.12's `transformer_lm`.
struct LanguageModelOptions final : nn::TransformerOptions, DeclaresCriterion {
  LanguageModelOptions();
  std::string declared_criterion() const override { return "cross_entropy"; }

  bool no_decoder_final_norm = false;
  int64_t max_positions = 0;  ///< longest input; 0 = the longest block of the task

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq::transformer_lm
