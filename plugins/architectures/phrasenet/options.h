#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/criterion/declared_criterion.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::phrasenet {

/// A gate between words and slots, or one softmax over words and phrases.
enum class Variant { kGate, kSoftmax };
/// Noisy tanh (Gulcehre et al. 2016) with a learned scale of the noise, with half-normal noise,
/// without a learned scale; or tanh.
enum class GateFunction { kNoisyTanh, kHalfNormal, kFixed, kTanh };
/// Whether the residual connection is added after or before the activation of the gate network's
/// second layer.
enum class GateResidual { kPost, kPre };
/// When used slots are excluded.
enum class MaskUsed { kNo, kDecode, kBoth };

inline constexpr EnumName<Variant> kVariantNames[] = {{"gate", Variant::kGate},
                                                      {"softmax", Variant::kSoftmax}};
inline constexpr EnumName<GateFunction> kGateFunctionNames[] = {
    {"noisy-tanh", GateFunction::kNoisyTanh},
    {"noisy-tanh-half", GateFunction::kHalfNormal},
    {"noisy-tanh-fixed", GateFunction::kFixed},
    {"tanh", GateFunction::kTanh}};
inline constexpr EnumName<GateResidual> kGateResidualNames[] = {{"post", GateResidual::kPost},
                                                                {"pre", GateResidual::kPre}};
inline constexpr EnumName<MaskUsed> kMaskUsedNames[] = {
    {"no", MaskUsed::kNo}, {"decode", MaskUsed::kDecode}, {"both", MaskUsed::kBoth}};

/// RNNsearch's switches, and phraseNet's (Tang et al. 2016); the defaults are the paper's.
/// Either variant is trained with the criterion phrase_mixture.
struct PhraseNetOptions : nn::RecurrentOptions, DeclaresCriterion {
  Variant pn_variant = Variant::kGate;
  int64_t gate_hidden = 1000;
  GateFunction gate_act = GateFunction::kNoisyTanh;
  double noise_c = 0.5;
  double noise_alpha = 1.15;
  GateResidual gate_residual = GateResidual::kPost;
  MaskUsed mask_used = MaskUsed::kNo;
  bool reset_on_word_match = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> without_effect() const override;
  std::string declared_criterion() const override { return "phrase_mixture"; }

  bool gated() const { return pn_variant == Variant::kGate; }
  bool masks_used_in_training() const { return mask_used == MaskUsed::kBoth; }
  bool masks_used_in_search() const { return mask_used != MaskUsed::kNo; }
};

}  // namespace phraseq::phrasenet
