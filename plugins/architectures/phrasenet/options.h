#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/criterion/declared_criterion.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::phrasenet {

/// RNNsearch's switches, and phraseNet's (Tang et al. 2016); the defaults are the paper's.
/// Either variant is trained with the criterion phrase_mixture.
struct PhraseNetOptions : nn::RecurrentOptions, DeclaresCriterion {
  std::string pn_variant = "gate";
  int64_t gate_hidden = 1000;
  std::string gate_act = "noisy-tanh";
  double noise_c = 0.5;
  double noise_alpha = 1.15;
  std::string gate_residual = "post";
  std::string mask_used = "no";
  bool reset_on_word_match = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::string declared_criterion() const override { return "phrase_mixture"; }

  bool gated() const { return pn_variant == "gate"; }
  bool masks_used_in_training() const { return mask_used == "both"; }
  bool masks_used_in_search() const { return mask_used != "no"; }
};

}  // namespace phraseq::phrasenet
