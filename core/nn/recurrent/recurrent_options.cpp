#include "core/nn/recurrent/recurrent_options.h"

#include "core/nn/parameters/size_limits.h"
#include "core/options/unused_values.h"

namespace phraseq::nn {
namespace {

void describe_sizes(OptionTable& table, RecurrentOptions& o) {
  table.field("embed-dim", o.embed_dim, "Embedding dimension of encoder and decoder.")
      .alias("emb-dim")
      .in(1, kMaxSize);
  table.field("hidden", o.hidden, "Hidden size of the recurrent layers.")
      .alias("hidden-size")
      .in(1, kMaxSize);
  table
      .field("dropout",
             o.dropout,
             "Dropout probability on the readout layer, before the output projection.")
      .in(0.0, 0.99);
}

void describe_decoder(OptionTable& table, RecurrentOptions& o) {
  table.field(
      "decoder-cell",
      o.decoder_cell,
      kDecoderCellNames,
      "Decoder cell. gru: one GRU, attention reads its last state; cgru: conditional GRU, one "
      "cell before and one after the attention.");
  table.field(
      "readout-state",
      o.readout_state,
      kReadoutStateNames,
      "Decoder state that the readout layer reads: the new state, or the old state as printed "
      "in the paper.");
}

void describe_coverage(OptionTable& table, RecurrentOptions& o) {
  table.field("coverage",
              o.coverage,
              kCoverageModelNames,
              "Coverage model of the attention: how translated source words are tracked.");
  table.field("coverage-dim", o.coverage_dim, "Dimension of neural coverage for each source word.")
      .in(1, kMaxSize);
  table.field("coverage-gate", o.coverage_gate, "Update neural coverage with a gated unit.");
  table
      .field("fertility",
             o.fertility,
             "Maximum fertility of a source word: linguistic coverage is divided by a learned "
             "fertility up to this value; 0 = no fertility.")
      .at_least(0);
}

void describe_positions(OptionTable& table, RecurrentOptions& o) {
  table
      .field("max-source-positions",
             o.max_source_positions,
             "Maximum number of tokens in a source sentence.")
      .in(1, kMaxLength);
  table
      .field("max-target-positions",
             o.max_target_positions,
             "Maximum number of tokens in a target sentence.")
      .in(1, kMaxLength);
}

}  // namespace

void RecurrentOptions::describe(OptionTable& table) {
  describe_sizes(table, *this);
  describe_decoder(table, *this);
  describe_coverage(table, *this);
  table
      .field("init-deviation",
             init_deviation,
             "Standard deviation of the initial weights; recurrent matrices are orthogonal. With a "
             "small hidden size, a value below 1/sqrt(hidden) slows down the start of training.")
      .at_least(0);
  describe_positions(table, *this);
}

std::vector<std::string> RecurrentOptions::problems() const {
  std::vector<std::string> found;
  if (fertility > 0 && !linguistic())
    found.emplace_back("--fertility needs --coverage linguistic");
  return found;
}

std::vector<std::string> RecurrentOptions::without_effect() const {
  const RecurrentOptions defaults;
  UnusedValues unused;
  const bool neural = has_coverage() && !linguistic();
  constexpr const char* kOnlyForNeural = "without --coverage neural";
  unused.check(neural, coverage_dim == defaults.coverage_dim, "--coverage-dim", kOnlyForNeural);
  unused.check(neural, coverage_gate == defaults.coverage_gate, "--coverage-gate", kOnlyForNeural);
  return unused.sentences;
}

}  // namespace phraseq::nn
