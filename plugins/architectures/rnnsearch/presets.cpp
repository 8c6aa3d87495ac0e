#include "plugins/architectures/rnnsearch/presets.h"

#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::rnnsearch {
namespace {

using nn::RecurrentOptions;

void base(RecurrentOptions& o) { o = RecurrentOptions(); }

void plain(RecurrentOptions& o) {
  base(o);
  o.coverage = nn::CoverageModel::kNone;
}

void dl4mt(RecurrentOptions& o) {
  plain(o);
  o.decoder_cell = nn::DecoderCell::kConditionalGru;
}

void linguistic(RecurrentOptions& o) {
  base(o);
  o.coverage = nn::CoverageModel::kLinguistic;
  o.fertility = 2.0;
}

void tiny(RecurrentOptions& o) {
  base(o);
  o.embed_dim = 128;
  o.hidden = 192;
  o.init_deviation = 0.1;
}

}  // namespace

std::vector<Preset> rnnsearch_presets() {
  return {
      preset(
          "rnnsearch_base", "620/1000, neural coverage of dimension 10 (Tang et al. 2016)", base),
      preset("rnnsearch_plain", "620/1000, no coverage", plain),
      preset("rnnsearch_cgru", "620/1000, dl4mt's conditional GRU, no coverage", dl4mt),
      preset("rnnsearch_linguistic", "620/1000, linguistic coverage, fertility 2", linguistic),
      preset(
          "rnnsearch_tiny",
          "128/192, neural coverage of dimension 10, initial weights with standard deviation 0.1",
          tiny,
          small_corpus_training()),
  };
}

}  // namespace phraseq::rnnsearch
