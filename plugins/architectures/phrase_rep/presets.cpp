#include "plugins/architectures/phrase_rep/presets.h"

#include "plugins/architectures/phrase_rep/options.h"

namespace phraseq::phrase_rep {
namespace {

/// +Max+Attn+TA: the defaults.
void base(PhraseRepOptions& o) { o = PhraseRepOptions(); }

void base_mean(PhraseRepOptions& o) {
  base(o);
  o.pr_glance = Glance::kMean;
  o.pr_attn = WordAttention::kNone;
  o.pr_ta = MixedLevels::kNone;
}

void base_max(PhraseRepOptions& o) {
  base(o);
  o.pr_attn = WordAttention::kNone;
  o.pr_ta = MixedLevels::kNone;
}

void base_max_attn(PhraseRepOptions& o) {
  base(o);
  o.pr_ta = MixedLevels::kNone;
}

void base_parse(PhraseRepOptions& o) {
  base(o);
  o.pr_seg = SegmentationKind::kParse;
}

void big(PhraseRepOptions& o) {
  base(o);
  o.set_sizes(1024, 4096, 16, 6);
  o.set_dropout(0.3, 0.3, 0.3);
}

/// A row of the tables with a centered combination network, with which a post-norm stack learns
/// faster.
template <void (*row)(PhraseRepOptions&)>
void centered(PhraseRepOptions& o) {
  row(o);
  o.pr_comb_centered = true;
}

/// A row of table 2 on transformer_tiny in place of the paper's baseline, whose conventions
/// (Neutron's initialization, positions and norm of embeddings) learn little from a few thousand
/// sentence pairs, with or without phrases.
template <void (*row)(PhraseRepOptions&)>
void tiny(PhraseRepOptions& o) {
  row(o);
  nn::use_fairseq_conventions(o);
  nn::use_tiny_size(o);
}

template <void (*row)(PhraseRepOptions&)>
Preset tiny_centered_preset(std::string name, const std::string& description) {
  return preset(std::move(name),
                description + ", 128/256, 4 heads, 4+4 layers, centered",
                tiny<centered<row>>,
                small_corpus_training());
}

template <void (*row)(PhraseRepOptions&)>
Preset tiny_preset(std::string name, const std::string& description) {
  return preset(std::move(name),
                description + ", 128/256, 4 heads, 4+4 layers",
                tiny<row>,
                small_corpus_training());
}

void neutron(PhraseRepOptions& o) {
  base(o);
  o.forbid_outputs = true;
  o.pr_attn = WordAttention::kSigmoidResidual;
  o.pr_ta = MixedLevels::kBoth;
  o.pr_ta_dropout = 0.1;
  o.pr_comb_hidden = "4d";
  o.pr_comb_residual = CombinationResidual::kBoth;
  o.pr_seg_scope = SegmentationScope::kBatch;
}

}  // namespace

std::vector<Preset> phrase_rep_presets() {
  return {
      preset("phrase_rep_base", "Base+PR of table 1: +Max+Attn+TA", base),
      preset("phrase_rep_base_mean", "Table 2, +Mean", base_mean),
      preset("phrase_rep_base_max", "Table 2, +Max", base_max),
      preset("phrase_rep_base_max_attn", "Table 2, +Max+Attn", base_max_attn),
      preset("phrase_rep_base_max_attn_ta", "Table 2, +Max+Attn+TA (= phrase_rep_base)", base),
      preset("phrase_rep_base_parse", "Table 2, + phrases from parse trees", base_parse),
      preset("phrase_rep_big", "Big+PR of table 1, dropout 0.3", big),
      preset("phrase_rep_neutron", "Settings of the published code", neutron),
      tiny_preset<base>("phrase_rep_tiny", "+Max+Attn+TA"),
      tiny_preset<base_mean>("phrase_rep_tiny_mean", "+Mean"),
      tiny_preset<base_max>("phrase_rep_tiny_max", "+Max"),
      tiny_preset<base_max_attn>("phrase_rep_tiny_max_attn", "+Max+Attn"),
      tiny_preset<base_parse>("phrase_rep_tiny_parse", "Phrases from parse trees"),
      preset("phrase_rep_centered", "+Max+Attn+TA, centered combination network", centered<base>),
      preset("phrase_rep_centered_mean", "+Mean, centered", centered<base_mean>),
      preset("phrase_rep_centered_max", "+Max, centered", centered<base_max>),
      tiny_centered_preset<base>("phrase_rep_tiny_centered", "+Max+Attn+TA"),
      tiny_centered_preset<base_mean>("phrase_rep_tiny_centered_mean", "+Mean"),
  };
}

}  // namespace phraseq::phrase_rep
