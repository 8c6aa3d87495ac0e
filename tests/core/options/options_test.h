#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Options with one field of every type.
struct SampleOptions final : Options {
  bool share = false;
  bool left_pad = true;
  int64_t layers = 6;
  double dropout = 0.1;
  std::string format = "plain";
  std::string remove_bpe;
  std::vector<int64_t> frequency = {1};
  std::vector<double> betas = {0.9, 0.999};
  std::vector<std::string> system;

  void describe(OptionTable& table) override {
    table.section("Model");
    table.field("share", share, "Share the embeddings.");
    table.field("left_pad", left_pad, "Pad at the left.");
    table.field("layers", layers, "Number of layers.").in(1, 99).alias("depth").short_flag("l");
    table.field("dropout", dropout, "Dropout probability.").in(0.0, 1.0);
    table.section("Output");
    table.field("format", format, "How to print.").one_of({"plain", "fairseq", "jsonl"});
    table.field("remove-bpe", remove_bpe, "Joins subwords.").bare_value("@@ ").short_flag("bpe");
    table.field("update-freq", frequency, "Number of batches per update.").at_least(1);
    table.field("adam-betas", betas, "Decays.").in(0.0, 1.0);
    table.field("input", system, "Systems.").short_flag("i").value_name("FILE").harmless();
  }

  std::vector<std::string> problems() const override {
    if (share && layers == 2)
      return {"--share cannot be combined with --layers 2"};
    return {};
  }
};

struct Sample {
  Sample() { options.describe(table); }
  SampleOptions options;
  OptionTable table;
};

}  // namespace phraseq
