#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::nn {
namespace {

/// Of widths.
constexpr double kLargestSize = 65536;

}  // namespace

void RecurrentOptions::describe(OptionTable& v) {
  v.field("embed-dim", embed_dim, "Width of source and target embeddings.")
      .alias("emb-dim")
      .in(1, kLargestSize);
  v.field("hidden", hidden, "Width of each recurrent state.")
      .alias("hidden-size")
      .in(1, kLargestSize);
  v.field("dropout", dropout, "Dropout on the readout in front of the vocabulary.").in(0.0, 0.99);
  v.field(
       "decoder-cell",
       decoder_cell,
       "gru: attention reads the last state; cgru: one cell before and one behind the attention.")
      .one_of({"gru", "cgru"});
  v.field("readout-state",
          readout_state,
          "The state that words are read from: the new one, or the old one as the paper prints it.")
      .one_of({"new", "old"});
  v.field("coverage", coverage, "What attention knows of how far source words are translated.")
      .one_of({"neural", "linguistic", "none"});
  v.field("coverage-dim", coverage_dim, "Values of neural coverage at each source word.")
      .in(1, kLargestSize);
  v.field("coverage-gate", coverage_gate, "Update neural coverage by a gated unit.");
  v.field("fertility",
          fertility,
          "Most target words of a source word: linguistic coverage counts in shares of a learned "
          "fertility up to this; 0 = none.")
      .at_least(0);
  v.field("init-deviation",
          init_deviation,
          "Standard deviation of first matrices; those of states are orthogonal. Narrow states "
          "leave the plateau of word frequencies late with less than 1/sqrt(width).")
      .at_least(0);
  v.field("max-source-positions", max_source_positions, "Longest source sentence in tokens.")
      .at_least(1);
  v.field("max-target-positions", max_target_positions, "Longest target sentence in tokens.")
      .at_least(1);
}

std::vector<std::string> RecurrentOptions::problems() const {
  std::vector<std::string> found;
  if (fertility > 0 && !linguistic())
    found.emplace_back("--fertility needs --coverage linguistic");
  return found;
}

}  // namespace phraseq::nn
