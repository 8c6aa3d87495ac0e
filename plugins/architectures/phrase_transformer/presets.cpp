#include "plugins/architectures/phrase_transformer/presets.h"

#include "plugins/architectures/phrase_transformer/options.h"

namespace phraseq::phrase_transformer {
namespace {

using PtOptions = PhraseTransformerOptions;

template <int64_t... sizes>
void published(PtOptions& o) {
  o = PtOptions();
  o.pt_grams = {sizes...};
}

void equations(PtOptions& o) {
  o = PtOptions();
  o.pt_raw = false;
  o.pt_scale = GramScale::kAll;
  o.pt_state = GramState::kHidden;
}

void sep(PtOptions& o) {
  o = PtOptions();
  o.pt_mode = GramMode::kSeparate;
  o.pt_grams = {2, 3, 0, 0};
}

/// Like transformer_tiny: pre-norm and little dropout. With the published 0.3 on the input of the
/// LSTM and post-norm, a model of this size learns little from a few thousand sentence pairs.
template <int64_t... sizes>
void tiny(PtOptions& o) {
  published<sizes...>(o);
  nn::use_tiny_size(o);
  o.pt_dropout = 0.1;
}

}  // namespace

std::vector<Preset> phrase_transformer_presets() {
  return {
      preset("phrase_transformer_3", "512/1024, 4 heads, 6+6 layers, grams {3}", published<3>),
      preset("phrase_transformer_4", "512/1024, 4 heads, 6+6 layers, grams {4}", published<4>),
      preset(
          "phrase_transformer_2_3", "512/1024, 4 heads, 6+6 layers, grams {2, 3}", published<2, 3>),
      preset("phrase_transformer_equations",
             "Grams {3} with the equations of the paper: phrases only, all scores scaled, hidden "
             "state",
             equations),
      preset("phrase_transformer_sep", "Separate heads with grams 2, 3, 0 and 0", sep),
      preset("phrase_transformer_tiny_3",
             "128/256, 4 heads, 4+4 layers, pre-norm, grams {3}",
             tiny<3>,
             small_corpus_training()),
      preset("phrase_transformer_tiny_4",
             "128/256, 4 heads, 4+4 layers, pre-norm, grams {4}",
             tiny<4>,
             small_corpus_training()),
      preset("phrase_transformer_tiny_2_3",
             "128/256, 4 heads, 4+4 layers, pre-norm, grams {2, 3}",
             tiny<2, 3>,
             small_corpus_training()),
  };
}

}  // namespace phraseq::phrase_transformer
