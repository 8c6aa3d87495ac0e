#pragma once

#include <string>
#include <vector>

#include "core/data/source_trees.h"
#include "core/nn/transformer/transformer_options.h"
#include "plugins/architectures/phrase_rep/segmentation.h"
#include "plugins/architectures/phrase_rep/width.h"

namespace phraseq::phrase_rep {

/// The Transformer's options and what Xu et al. 2020 add, with the paper's choices as defaults;
/// sizes and conventions are those of the paper's base model (Neutron's).
struct PhraseRepOptions : nn::TransformerOptions, TreeUse {
  PhraseRepOptions();

  std::string pr_glance = "max";
  std::string pr_attn = "softmax";
  std::string pr_attn_hidden = "d";
  std::string pr_ta = "phrase";
  double pr_ta_dropout = 0.0;
  std::string pr_comb_hidden = "3d";
  std::string pr_comb_residual = "x";
  std::string pr_comb_bias2 = "auto";
  std::string pr_seg = "ngram";
  int64_t pr_seg_max = 8;
  int64_t pr_seg_min = 3;
  int64_t pr_seg_div = 6;
  std::string pr_seg_round = "ceil";
  std::string pr_seg_scope = "sentence";
  std::string pr_parse_bound = "literal";
  std::string pr_long_leaf = "whole";
  std::string pr_specials = "own";

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  bool needs_trees() const override { return pr_seg == "parse"; }
  std::string asked_by() const override { return "--pr-seg parse"; }
  std::string setting_without() const override { return "pr-seg=ngram"; }

  /// ha; the decoder's is the last level's. Every scorer reads encoder states, so that d is the
  /// encoder's width in both.
  Widths scorer_widths() const;
  Widths combination_widths() const;  ///< hc
  bool combination_bias2() const {
    return pr_comb_bias2 == "auto" ? ffn_bias2 : pr_comb_bias2 == "yes";
  }
  SegmentationOptions segmentation() const;
};

}  // namespace phraseq::phrase_rep
