#include "plugins/architectures/phrasenet/options.h"

#include "core/nn/parameters/size_limits.h"
#include "core/options/unused_values.h"

namespace phraseq::phrasenet {
namespace {

void describe_gate(OptionTable& table, PhraseNetOptions& o) {
  table.field("gate-hidden", o.gate_hidden, "Hidden size of the gate network (variant gate).")
      .in(1, nn::kMaxSize);
  table.field(
      "gate-act",
      o.gate_act,
      kGateFunctionNames,
      "The gate network's activation: noisy tanh (Gulcehre et al. 2016) with a learned scale of "
      "the noise (NTanhP), with half-normal noise, without a learned scale (NTanh); or tanh.");
  table.field("noise-c", o.noise_c, "Noise scale c of noisy tanh.").in(0, 100);
  table
      .field("noise-alpha",
             o.noise_alpha,
             "Alpha of noisy tanh: weight of the clipped value, relative to the linear value.")
      .in(0, 100);
  table.field("gate-residual",
              o.gate_residual,
              kGateResidualNames,
              "Where the residual connection of the gate network is added: after or before the "
              "activation of the second layer.");
}

}  // namespace

void PhraseNetOptions::describe(OptionTable& table) {
  RecurrentOptions::describe(table);
  table.field("pn-variant",
              pn_variant,
              kVariantNames,
              "gate: a gate chooses between word and phrase, and a classifier chooses the slot; "
              "softmax: one softmax over words and encoded phrases.");
  describe_gate(table, *this);
  table.field(
      "mask-used",
      mask_used,
      kMaskUsedNames,
      "When to exclude slots that have already been used: never (no), when decoding (decode), "
      "or also in training (both).");
  table.field("reset-on-word-match",
              reset_on_word_match,
              "When decoding, also reset the state of a phrase that was generated word by word.");
}

std::vector<std::string> PhraseNetOptions::problems() const {
  std::vector<std::string> found = RecurrentOptions::problems();
  if (!gated() && readout_state == nn::ReadoutState::kOld)
    found.emplace_back("--readout-state old requires --pn-variant gate");
  return found;
}

/// The presets set --gate-hidden for both variants.
std::vector<std::string> PhraseNetOptions::without_effect() const {
  const PhraseNetOptions defaults;
  UnusedValues unused;
  unused.sentences = RecurrentOptions::without_effect();
  constexpr const char* kOnlyForGate = "with --pn-variant softmax, which has no gate";
  unused.check(gated(), gate_act == defaults.gate_act, "--gate-act", kOnlyForGate);
  unused.check(gated(), gate_residual == defaults.gate_residual, "--gate-residual", kOnlyForGate);
  const bool has_noise = gated() && gate_act != GateFunction::kTanh;
  const char* const reason = gated() ? "with --gate-act tanh" : kOnlyForGate;
  unused.check(has_noise, noise_c == defaults.noise_c, "--noise-c", reason);
  unused.check(has_noise, noise_alpha == defaults.noise_alpha, "--noise-alpha", reason);
  return unused.sentences;
}

}  // namespace phraseq::phrasenet
