#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {

void PhraseNetOptions::describe(OptionTable& v) {
  RecurrentOptions::describe(v);
  v.field("pn-variant",
          pn_variant,
          "gate: a gate decides between word and phrase, a classifier between slots; softmax: one "
          "softmax over words and encoded phrases.")
      .one_of({"gate", "softmax"});
  v.field("gate-hidden", gate_hidden, "Width of the gate network.").in(1, 65536);
  v.field(
       "gate-act",
       gate_act,
       "The gate network's activation: noisy tanh (Gulcehre et al. 2016) with a learned scale of "
       "the noise (NTanhP), with half-normal noise, without a learned scale (NTanh); or tanh.")
      .one_of({"noisy-tanh", "noisy-tanh-half", "noisy-tanh-fixed", "tanh"});
  v.field("noise-c", noise_c, "Scale of the noise.").in(0, 100);
  v.field("noise-alpha", noise_alpha, "Share of the clipped value; above 1 it leans back.")
      .in(0, 100);
  v.field("gate-residual",
          gate_residual,
          "Where the gate network's first layer is added: behind the second layer's activation, or "
          "in front of it.")
      .one_of({"post", "pre"});
  v.field("mask-used", mask_used, "Where a slot that was used is taken out of the choice.")
      .one_of({"no", "decode", "both"});
  v.field("reset-on-word-match",
          reset_on_word_match,
          "In search, also forget the tags of a phrase that was said word by word.");
}

std::vector<std::string> PhraseNetOptions::problems() const {
  std::vector<std::string> found = RecurrentOptions::problems();
  if (!gated() && readout_state == "old")
    found.emplace_back("--readout-state old goes with --pn-variant gate alone");
  return found;
}

}  // namespace phraseq::phrasenet
