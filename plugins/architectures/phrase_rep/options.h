#pragma once

#include <string>
#include <vector>

#include "core/data/batch_dependence.h"
#include "core/data/source_trees.h"
#include "core/nn/transformer/transformer_options.h"
#include "core/options/auto_switch.h"
#include "plugins/architectures/phrase_rep/segmentation.h"
#include "plugins/architectures/phrase_rep/width.h"

namespace phraseq::phrase_rep {

/// The words' initial summary (eq. 2).
enum class Glance { kMax, kMean };
/// Attention over the words of a phrase (eqs. 3-5).
enum class WordAttention { kSoftmax, kNone, kSigmoidResidual };
/// The levels that each decoder layer mixes (eq. 6).
enum class MixedLevels { kPhrase, kNone, kBoth };
/// What the combination network (eq. 8) adds to its output.
enum class CombinationResidual { kInput, kBoth };
/// How sources are divided into phrases: n-grams, or parts of parse trees (Algorithm 1).
enum class SegmentationKind { kNgram, kParse };
/// The unit whose length determines the length of phrases.
enum class SegmentationScope { kSentence, kBatch };
/// Algorithm 1 as printed, or with phrases of at most n tokens.
enum class ParseBound { kLiteral, kBounded };
/// A parsed word with n or more subwords: one phrase, or several.
enum class LongLeaf { kWhole, kSplit };
/// <s> and </s> of a parsed sentence.
enum class SpecialPhrases { kOwn, kJoin };

inline constexpr EnumName<Glance> kGlanceNames[] = {{"max", Glance::kMax}, {"mean", Glance::kMean}};
inline constexpr EnumName<WordAttention> kWordAttentionNames[] = {
    {"softmax", WordAttention::kSoftmax},
    {"none", WordAttention::kNone},
    {"sigmoid-residual", WordAttention::kSigmoidResidual}};
inline constexpr EnumName<MixedLevels> kMixedLevelsNames[] = {
    {"phrase", MixedLevels::kPhrase}, {"none", MixedLevels::kNone}, {"both", MixedLevels::kBoth}};
inline constexpr EnumName<CombinationResidual> kCombinationResidualNames[] = {
    {"x", CombinationResidual::kInput}, {"both", CombinationResidual::kBoth}};
inline constexpr EnumName<SegmentationKind> kSegmentationKindNames[] = {
    {"ngram", SegmentationKind::kNgram}, {"parse", SegmentationKind::kParse}};
inline constexpr EnumName<SegmentationScope> kSegmentationScopeNames[] = {
    {"sentence", SegmentationScope::kSentence}, {"batch", SegmentationScope::kBatch}};
inline constexpr EnumName<ParseBound> kParseBoundNames[] = {{"literal", ParseBound::kLiteral},
                                                            {"bounded", ParseBound::kBounded}};
inline constexpr EnumName<LongLeaf> kLongLeafNames[] = {{"whole", LongLeaf::kWhole},
                                                        {"split", LongLeaf::kSplit}};
inline constexpr EnumName<SpecialPhrases> kSpecialPhrasesNames[] = {
    {"own", SpecialPhrases::kOwn}, {"join", SpecialPhrases::kJoin}};

/// The Transformer's options and those that Xu et al. 2020 add, with the paper's choices as
/// defaults; sizes and conventions are those of the paper's base model (Neutron's).
struct PhraseRepOptions : nn::TransformerOptions, TreeUse, BatchDependence {
  PhraseRepOptions();

  Glance pr_glance = Glance::kMax;
  WordAttention pr_attn = WordAttention::kSoftmax;
  std::string pr_attn_hidden = "d";
  MixedLevels pr_ta = MixedLevels::kPhrase;
  double pr_ta_dropout = 0.0;
  std::string pr_comb_hidden = "3d";
  CombinationResidual pr_comb_residual = CombinationResidual::kInput;
  bool pr_comb_centered = false;
  AutoSwitch pr_comb_bias2 = AutoSwitch::kAuto;
  SegmentationKind pr_seg = SegmentationKind::kNgram;
  int64_t pr_seg_max = 8;
  int64_t pr_seg_min = 3;
  int64_t pr_seg_div = 6;
  Rounding pr_seg_round = Rounding::kCeil;
  SegmentationScope pr_seg_scope = SegmentationScope::kSentence;
  ParseBound pr_parse_bound = ParseBound::kLiteral;
  LongLeaf pr_long_leaf = LongLeaf::kWhole;
  SpecialPhrases pr_specials = SpecialPhrases::kOwn;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> without_effect() const override;
  bool depends_on_batch() const override { return pr_seg_scope == SegmentationScope::kBatch; }
  bool needs_trees() const override { return pr_seg == SegmentationKind::kParse; }
  std::string asked_by() const override { return "--pr-seg parse"; }
  std::string setting_without() const override { return "pr-seg=ngram"; }

  /// ha: the widths of the scorers; the decoder's is used for the last level. All scorers read
  /// encoder states, so d is the encoder's width in both.
  Widths scorer_widths() const;
  Widths combination_widths() const;  ///< hc
  bool combination_bias2() const {
    return pr_comb_bias2 == AutoSwitch::kAuto ? ffn_bias2 : pr_comb_bias2 == AutoSwitch::kYes;
  }
  SegmentationOptions segmentation() const;
};

}  // namespace phraseq::phrase_rep
