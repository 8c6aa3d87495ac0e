#include "core/run/options/analyze_options.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/plot/plot_file.h"

namespace phraseq {
namespace {

/// Whether the text is a number from 1 or one of the words.
bool is_choice(const std::string& text, std::initializer_list<std::string_view> words) {
  if (std::find(words.begin(), words.end(), text) != words.end())
    return true;
  return number_in<int64_t>(text).value_or(0) > 0;
}

void describe_mode(OptionTable& table, AnalyzeOptions& o) {
  table.section("Analysis");
  table
      .field("mode",
             o.mode,
             kAnalyzeModeNames,
             "attention: heat maps of one sentence pair. activation: shares of attention between "
             "words and n-grams, per layer, over a test set. constituents: share of constituents "
             "of parse trees among the n-grams with the largest weights. heads: increase of the "
             "loss of a test set without each attention head. dump: all tensors that the model "
             "records, sentence by sentence.")
      .positional()
      .required();
}

void describe_input(OptionTable& table, AnalyzeOptions& o) {
  table
      .field("source",
             o.source,
             "attention: the source sentence itself. Otherwise: a file with one source sentence "
             "per line.")
      .short_flag("s")
      .value_name("TEXT|FILE")
      .required();
  table
      .field("target",
             o.target,
             "attention: the target sentence itself. Otherwise: a file with one target sentence "
             "per line.")
      .short_flag("t")
      .value_name("TEXT|FILE")
      .required();
  table
      .field(
          "trees",
          o.trees,
          "Bracketed parse tree of the source, or a file of them: for models that use trees, and "
          "for constituents.")
      .value_name("TREE|FILE");
  table.field("truncate-source",
              o.truncate_source,
              "Use only the beginning of sources in files that are too long.");
}

void describe_output(OptionTable& table, AnalyzeOptions& o) {
  table
      .field("output",
             o.output,
             "Output file; - = standard output. attention: FILE.html (all layers and heads), "
             "FILE.svg (one heat map) or FILE.jsonl (numbers).")
      .value_name("FILE")
      .writes_file();
  table
      .field("attention",
             o.attention,
             "Which attention: cross, encoder or decoder (the latter two are self-attention). "
             "Default: cross; all three in FILE.html and for heads. FILE.jsonl always contains "
             "all.")
      .alias("module")
      .value_name("PLACE...");
}

void describe_heat_maps(OptionTable& table, AnalyzeOptions& o) {
  table.section("Heat maps");
  table.field("layer", o.layer, "Layer in FILE.svg: a number from 1, or last.");
  table.field("head", o.head, "Head in FILE.svg: a number from 1, or mean.");
  table.field("target-labels",
              o.target_labels,
              analysis::kTargetLabelNames,
              "Labels of decoder rows: the token that is generated, or the token that the decoder "
              "receives as input.");
}

void describe_activation(OptionTable& table, AnalyzeOptions& o) {
  table.section("Activation");
  table
      .field("stat",
             o.stat,
             analysis::kActivationStatisticNames,
             "What to count for each head and token. peak: the position of the largest weight; "
             "mass: all weights; threshold: the weights of at least --tau.")
      .alias("activation-stats");
  table.field("tau", o.tau, "Threshold for --stat threshold.")
      .alias("activation-tau")
      .in(1e-6, 1.0);
  table.field("json", o.json, "Write the table as JSON.");
}

void describe_dump(OptionTable& table, AnalyzeOptions& o) {
  table.section("Dump");
  table.field("tensors", o.tensors, "Write only tensors whose names contain one of these strings.")
      .value_name("TEXT...");
}

void describe_plot(OptionTable& table, AnalyzeOptions& o) {
  table.section("Pictures");
  table
      .field("plot",
             o.plot,
             "activation, constituents, heads: also plot the table. dump: also plot the tensors "
             "of the first sentence as one heat map. Format: SVG.")
      .value_name("FILE.svg")
      .writes_file();
}

/// The given options that the mode does not use.
std::vector<std::string> unused(const AnalyzeOptions& given) {
  const AnalyzeOptions defaults;
  const bool is_svg = given.output.ends_with(".svg");
  std::vector<std::string> found;
  const auto require = [&](bool is_used, bool is_given, const char* text) {
    if (is_given && !is_used)
      found.emplace_back(text);
  };
  using enum AnalyzeMode;
  const AnalyzeMode mode = given.mode;
  const bool is_table = mode == kActivation || mode == kConstituents || mode == kHeads;
  require(mode == kAttention && is_svg,
          given.layer != defaults.layer || given.head != defaults.head,
          "--layer and --head are for attention with --output FILE.svg");
  require(mode == kAttention && !given.output.ends_with(".jsonl"),
          given.target_labels != defaults.target_labels,
          "--target-labels is for attention with --output FILE.svg or FILE.html");
  require(mode == kActivation, given.stat != defaults.stat, "--stat is for activation");
  require(mode == kActivation && given.stat == analysis::ActivationStatistic::kThreshold,
          given.tau != defaults.tau,
          "--tau is for activation with --stat threshold");
  require(mode != kAttention,
          given.truncate_source,
          "--truncate-source is for the lines of files: shorten the sentence of attention");
  require(is_table, given.json, "--json is for activation, constituents and heads");
  require(mode == kDump, !given.tensors.empty(), "--tensors is for dump");
  require(mode != kDump, !given.attention.empty(), "--attention is not for dump: use --tensors");
  return found;
}

/// Problems of --attention, --output and --plot.
std::vector<std::string> attention_problems(const AnalyzeOptions& given) {
  const bool is_attention = given.mode == AnalyzeMode::kAttention;
  std::vector<std::string> found;
  if (is_attention && given.output.ends_with(".jsonl") && !given.attention.empty())
    found.emplace_back(
        "--attention is for FILE.html and FILE.svg: FILE.jsonl contains all weights");
  for (const auto& place : given.attention) {
    if (place != "cross" && place != "encoder" && place != "decoder")
      found.push_back("--attention: '" + place + "' is not one of cross, encoder, decoder");
  }
  const bool known_picture = given.output.ends_with(".svg") || given.output.ends_with(".html") ||
                             given.output.ends_with(".jsonl");
  if (is_attention && !known_picture)
    found.emplace_back(
        "attention: give --output FILE.html, FILE.svg or FILE.jsonl; the suffix selects the "
        "format");
  if (is_attention && !given.plot.empty())
    found.emplace_back("attention: use --output for the plot; --plot is for the other modes");
  return found;
}

}  // namespace

void AnalyzeOptions::describe(OptionTable& table) {
  describe_mode(table, *this);
  describe_input(table, *this);
  describe_output(table, *this);
  describe_heat_maps(table, *this);
  describe_activation(table, *this);
  describe_dump(table, *this);
  describe_plot(table, *this);
}

std::vector<std::string> AnalyzeOptions::problems() const {
  std::vector<std::string> found = unused(*this);
  if (!is_choice(layer, {"last"}))
    found.emplace_back("--layer: a number from 1, or last");
  if (!is_choice(head, {"mean"}))
    found.emplace_back("--head: a number from 1, or mean");
  for (std::string& problem : attention_problems(*this)) found.push_back(std::move(problem));
  if (const auto problem = plot::plot_file_problem(plot))
    found.push_back(*problem);
  if (mode == AnalyzeMode::kConstituents && trees.empty())
    found.emplace_back("constituents: give the parse trees of --source with --trees");
  const bool one_place = mode == AnalyzeMode::kActivation || mode == AnalyzeMode::kConstituents;
  if ((one_place || output.ends_with(".svg")) && attention.size() > 1)
    found.emplace_back("--attention: give one of cross, encoder, decoder");
  return found;
}

void require_sentences(int64_t count) {
  if (count == 0)
    throw DataError("--source has no sentences", "Give a file with one sentence per line.");
}

}  // namespace phraseq
