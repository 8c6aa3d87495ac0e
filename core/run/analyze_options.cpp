#include <algorithm>
#include <charconv>

#include "core/run/analyze_run.h"

namespace phraseq {

namespace {

/// A number from 1, or one of the words.
bool is_choice(const std::string& text, std::initializer_list<std::string_view> words) {
  if (std::find(words.begin(), words.end(), text) != words.end())
    return true;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

void AnalyzeOptions::describe(OptionTable& table) {
  table.section("Analysis");
  table
      .field("mode",
             mode,
             "attention: heat maps of one sentence pair. activation: how much attention is between "
             "words and longer n-grams, layer by layer over a test set. dump: everything that the "
             "model records, sentence by sentence.")
      .positional()
      .required()
      .one_of({"attention", "activation", "dump"});
  table
      .field("source",
             source,
             "attention: the source sentence itself. activation, dump: a file of sources, one a "
             "line.")
      .short_flag("s")
      .value_name("TEXT|FILE")
      .required();
  table.field("target", target, "Its translation; a file of them, line by line.")
      .short_flag("t")
      .value_name("TEXT|FILE")
      .required();
  table
      .field("trees",
             trees,
             "The bracketed parse tree of the source, or a file of them, for models that use "
             "trees.")
      .value_name("TREE|FILE");
  table
      .field("output",
             output,
             "Where the result goes; - is standard output. attention: FILE.html (all layers and "
             "heads to choose from), FILE.svg (one) or FILE.jsonl (the numbers).")
      .value_name("FILE");
  table
      .field("attention",
             attention,
             "Which attention: cross, encoder, decoder (their self-attention). By default cross; "
             "all three on a page.")
      .alias("module")
      .value_name("PLACE...");
  table.section("Heat maps");
  table.field("layer", layer, "Of FILE.svg: a layer from 1, or last.");
  table.field("head", head, "Of FILE.svg: a head from 1, or mean.");
  table.section("Activation");
  table
      .field(
          "stat",
          stat,
          "peak: where each head's largest weight is, for each token. mass: where the weight is. "
          "threshold: where weights of --tau or more are.")
      .alias("activation-stats")
      .one_of({"peak", "mass", "threshold"});
  table.field("tau", tau, "The threshold.").alias("activation-tau").in(1e-6, 1.0);
  table.field("json", json, "The table as JSON.");
  table.section("Dump");
  table.field("tensors", tensors, "Only tensors whose names contain one of these.")
      .value_name("TEXT...");
  table.section("Pictures");
  table
      .field("plot",
             plot,
             "activation: also draw the table. dump: also draw the first sentence's tensors, as "
             "one heat map. SVG.")
      .value_name("FILE");
}

std::vector<std::string> AnalyzeOptions::problems() const {
  std::vector<std::string> found;
  if (!is_choice(layer, {"last"}))
    found.emplace_back("--layer: a number from 1, or last");
  if (!is_choice(head, {"mean"}))
    found.emplace_back("--head: a number from 1, or mean");
  for (const auto& place : attention) {
    if (place != "cross" && place != "encoder" && place != "decoder")
      found.push_back("--attention: '" + place + "' is none of cross, encoder, decoder");
  }
  const bool known_picture =
      output.ends_with(".svg") || output.ends_with(".html") || output.ends_with(".jsonl");
  if (mode == "attention" && !known_picture)
    found.emplace_back("attention: --output FILE.html, FILE.svg or FILE.jsonl says what is made");
  if (mode == "attention" && !plot.empty())
    found.emplace_back("attention: --output names the picture, --plot is for activation and dump");
  if ((mode == "activation" || output.ends_with(".svg")) && attention.size() > 1)
    found.emplace_back("--attention: name one");
  return found;
}

}  // namespace phraseq
