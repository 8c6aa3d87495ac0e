#include "plugins/architectures/phrase_rep/options.h"

#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/options/unused_values.h"

namespace phraseq::phrase_rep {
namespace {

/// The maximum length that options accept; no sentence is longer.
constexpr double kMaxTokens = 1000000;

void describe_phrases(OptionTable& table, PhraseRepOptions& o) {
  table.field(
      "pr-glance", o.pr_glance, kGlanceNames, "Initial summary of the words of a phrase (eq. 2).");
  table.field("pr-attn",
              o.pr_attn,
              kWordAttentionNames,
              "Attention over the words of a phrase: softmax (eqs. 3-5), none (the initial summary "
              "represents the phrase), or sigmoid-residual (as in Neutron).");
  table
      .field("pr-attn-hidden",
             o.pr_attn_hidden,
             "Hidden width of the scorer: a number, a multiple of the encoder's width (2d), or A,B "
             "with B for the last level, which only the decoder reads.")
      .value_name("WIDTH");
  table.field("pr-ta",
              o.pr_ta,
              kMixedLevelsNames,
              "Transparent attention (eq. 6): each decoder layer reads its own weighted sum of the "
              "phrase levels, or of both phrase and token levels; none = the last level.");
  table
      .field("pr-ta-dropout",
             o.pr_ta_dropout,
             "Dropout probability on the logits of transparent attention.")
      .in(0.0, 0.99);
}

void describe_combination(OptionTable& table, PhraseRepOptions& o) {
  table
      .field("pr-comb-hidden",
             o.pr_comb_hidden,
             "Hidden width of the combination network (eq. 8): a number, a multiple of the stack's "
             "model width (3d), or ENCODER,DECODER.")
      .value_name("WIDTH");
  table.field(
      "pr-comb-residual",
      o.pr_comb_residual,
      kCombinationResidualNames,
      "Residual connection of the combination network: its input x, or both inputs (x and the "
      "output of attention).");
  table.field("pr-comb-centered",
              o.pr_comb_centered,
              "Subtract 0.5, the initial mean, from the hidden units of the combination network.");
  table.field(
      "pr-comb-bias2",
      o.pr_comb_bias2,
      kAutoSwitchNames,
      "Bias of the second layer of the combination network; auto = the same as --ffn-bias2.");
}

void describe_segmentation(OptionTable& table, PhraseRepOptions& o) {
  table.field(
      "pr-seg",
      o.pr_seg,
      kSegmentationKindNames,
      "Segmentation into phrases: n-grams, or parse trees of the data (preprocess --trees).");
  table.field("pr-seg-max", o.pr_seg_max, "Maximum number of tokens in a phrase.")
      .in(1, kMaxTokens);
  table.field("pr-seg-min", o.pr_seg_min, "Minimum number of tokens in a phrase, except the last.")
      .in(1, kMaxTokens);
  table
      .field("pr-seg-div",
             o.pr_seg_div,
             "Divisor: the phrase length is the sentence length divided by this value.")
      .in(1, kMaxTokens);
  table.field("pr-seg-round",
              o.pr_seg_round,
              kRoundingNames,
              "Rounding of the phrase length; round rounds halves up.");
  table.field(
      "pr-seg-scope",
      o.pr_seg_scope,
      kSegmentationScopeNames,
      "Length that determines the phrase length: of the sentence, or of the longest sentence "
      "in the batch (as in Neutron; translations then depend on the batch). Parsed phrases "
      "always use the sentence.");
}

void describe_parsed_phrases(OptionTable& table, PhraseRepOptions& o) {
  table.field(
      "pr-parse-bound",
      o.pr_parse_bound,
      kParseBoundNames,
      "Algorithm 1 as printed (a phrase can have up to 2n-1 tokens), or bounded by n tokens.");
  table.field("pr-long-leaf",
              o.pr_long_leaf,
              kLongLeafNames,
              "Treat a word with n or more subwords as one phrase, or split it into several.");
  table.field(
      "pr-specials",
      o.pr_specials,
      kSpecialPhrasesNames,
      "<s> and </s> in parsed sentences: phrases of their own, or joined to the neighboring "
      "phrase.");
}

/// A width option, and the model widths that "d" in it denotes.
struct WidthOption {
  const char* name;
  const std::string& text;
  int64_t encoder_model, decoder_model;

  std::optional<Widths> parsed() const { return parse_widths(text, encoder_model, decoder_model); }
  std::string problem() const {
    return fmt::format(
        "--{} '{}' is not a width: expected 1 to {}, such as 1536, 3d or 4d,2d, where d is the "
        "model width ({})",
        name,
        text,
        kMaxWidth,
        encoder_model == decoder_model ? std::to_string(encoder_model)
                                       : fmt::format("{}, {}", encoder_model, decoder_model));
  }
  Widths value() const {
    if (const auto widths = parsed())
      return *widths;
    throw UsageError(problem());
  }
};

/// The option for the scorers. All of them read encoder states, including the one of the last
/// level.
WidthOption scorer_option(const PhraseRepOptions& o) {
  return {"pr-attn-hidden", o.pr_attn_hidden, o.encoder_embed_dim, o.encoder_embed_dim};
}

WidthOption combination_option(const PhraseRepOptions& o) {
  return {"pr-comb-hidden", o.pr_comb_hidden, o.encoder_embed_dim, o.decoder_embed_dim};
}

/// Marks options that are not supported; `problems` explains why.
void describe_unsupported(OptionTable& table) {
  table.find("source-eos")->help = "End source sentences with </s>, as phrase_rep requires.";
  for (const char* name : {"encoder-layerdrop",
                           "encoder-layers-to-keep",
                           "decoder-layerdrop",
                           "decoder-layers-to-keep"})
    table.find(name)->help = "Not supported by phrase_rep.";
}

}  // namespace

PhraseRepOptions::PhraseRepOptions() {
  nn::use_neutron_conventions(*this);
  set_sizes(512, 2048, 8, 6);
  set_dropout(0.1, 0.1, 0.1);
}

void PhraseRepOptions::describe(OptionTable& table) {
  TransformerOptions::describe(table);
  describe_unsupported(table);
  describe_phrases(table, *this);
  describe_combination(table, *this);
  describe_segmentation(table, *this);
  describe_parsed_phrases(table, *this);
}

std::vector<std::string> PhraseRepOptions::problems() const {
  std::vector<std::string> found = TransformerOptions::problems();
  for (const WidthOption& option : {scorer_option(*this), combination_option(*this)}) {
    if (!option.parsed())
      found.push_back(option.problem());
  }
  for (const nn::LayerDrop* drop : {&encoder_drop, &decoder_drop}) {
    if (drop->probability > 0 || !drop->layers_to_keep.empty())
      found.emplace_back(
          "phrase_rep supports neither LayerDrop nor a choice of layers to keep: its decoder reads "
          "every layer of the encoder");
  }
  if (pr_seg_min > pr_seg_max)
    found.push_back(
        fmt::format("--pr-seg-min {} is greater than --pr-seg-max {}", pr_seg_min, pr_seg_max));
  if (!source_eos)
    found.emplace_back("--source-eos no is not supported by phrase_rep: </s> ends the last phrase");
  if (encoder_normalize_before && pr_ta == MixedLevels::kBoth)
    found.emplace_back(
        "--pr-ta both mixes normalized encoder outputs: it cannot be combined with "
        "--encoder-normalize-before");
  return found;
}

std::vector<std::string> PhraseRepOptions::without_effect() const {
  const PhraseRepOptions defaults;
  UnusedValues unused;
  unused.check(pr_attn != WordAttention::kNone,
               pr_attn_hidden == defaults.pr_attn_hidden,
               "--pr-attn-hidden",
               "with --pr-attn none");
  unused.check(pr_ta != MixedLevels::kNone,
               pr_ta_dropout == defaults.pr_ta_dropout,
               "--pr-ta-dropout",
               "with --pr-ta none");
  const auto check_of_trees = [&](bool is_default, const char* option) {
    unused.check(needs_trees(), is_default, option, "without --pr-seg parse");
  };
  check_of_trees(pr_parse_bound == defaults.pr_parse_bound, "--pr-parse-bound");
  check_of_trees(pr_long_leaf == defaults.pr_long_leaf, "--pr-long-leaf");
  check_of_trees(pr_specials == defaults.pr_specials, "--pr-specials");
  return unused.sentences;
}

Widths PhraseRepOptions::scorer_widths() const { return scorer_option(*this).value(); }

Widths PhraseRepOptions::combination_widths() const { return combination_option(*this).value(); }

SegmentationOptions PhraseRepOptions::segmentation() const {
  SegmentationOptions o;
  o.from_trees = needs_trees();
  o.longest = pr_seg_max;
  o.shortest = pr_seg_min;
  o.divisor = pr_seg_div;
  o.rounding = pr_seg_round;
  o.by_batch = pr_seg_scope == SegmentationScope::kBatch;
  o.trees.bounded = pr_parse_bound == ParseBound::kBounded;
  o.trees.split_long_leaves = pr_long_leaf == LongLeaf::kSplit;
  o.join_specials = pr_specials == SpecialPhrases::kJoin;
  o.source_has_bos = source_bos;
  return o;
}

}  // namespace phraseq::phrase_rep
