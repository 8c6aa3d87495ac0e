#include "core/score/compare/compare_options.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/options/command_line.h"
#include "core/plot/plot_file.h"

namespace phraseq::score {
namespace {

void describe_input(OptionTable& table, CompareOptions& o) {
  table.section("Input");
  table
      .field("systems",
             o.systems,
             "Outputs of the systems; all others are compared with the first. NAME=FILE,FILE,... "
             "gives the outputs of one system trained with several random seeds.")
      .positional()
      .required()
      .value_name("FILE...");
  table.field("ref", o.references, "Reference files.").required().value_name("FILE...");
  table
      .field("src",
             o.source,
             "Source text, for buckets by source length; default: buckets by the length of the "
             "first reference.")
      .alias("source")
      .value_name("FILE");
}

void describe_buckets(OptionTable& table, CompareOptions& o) {
  table.section("Buckets");
  table
      .field("bucket-edges",
             o.bucket_edges,
             "Edges of the length buckets: 15,30 gives the buckets <15, 15-29 and >=30.")
      .alias("length-edges")
      .alias("analysis-length-edges");
  table.field("bucket-unit",
              o.bucket_unit,
              kLengthUnitNames,
              "Unit of sentence length: words separated by whitespace, or characters.");
  table.field("bucket-metric", o.bucket_metric, "The metric of the buckets, by name.");
}

void describe_frequencies(OptionTable& table, CompareOptions& o) {
  table.section("Word frequencies");
  table
      .field("train-text",
             o.train_text,
             "Training text in the target language: also report how well words are translated (F1) "
             "by their frequency in it. BLEU's --tokenize splits the text into words.")
      .value_name("FILE...");
  table.field("frequency-edges",
              o.frequency_edges,
              "Edges of the frequency buckets: 1,5 gives words that do not occur in the training "
              "text, that occur 1 to 4 times, and that occur 5 times or more.");
}

void describe_significance(OptionTable& table, CompareOptions& o) {
  table.section("Significance");
  table.field("samples", o.samples, "Number of bootstrap resamples.").in(1, 1000000);
  table.field("seed", o.seed, "Random seed: an integer, or none for a random one.");
  table
      .field("threads",
             o.threads,
             "Number of threads; 0 = one per core. The result does not depend on it.")
      .in(0, 4096);
}

void describe_report(OptionTable& table, CompareOptions& o) {
  table.section("Report");
  table
      .field("format",
             o.format,
             kCompareFormatNames,
             "Output format: text for a terminal, JSON, or a single HTML page.")
      .short_flag("f");
  table.field("output", o.output, "Write to this file instead of standard output.")
      .short_flag("o")
      .value_name("FILE")
      .writes_file();
  table.field("plot", o.plot, "Also plot the scores by length or word frequency, as SVG.")
      .value_name("FILE.svg")
      .writes_file();
  table.field("plot-by", o.plot_by, kPlotTableNames, "Which scores to plot.");
  table.field("plot-kind", o.plot_kind, kPlotKindNames, "Plot bars or lines.");
  table
      .field(
          "sentences",
          o.sentences,
          "HTML: for each system, show N sentences that it translates better than the first system "
          "and N that it translates worse, by the sentence-level --bucket-metric; 0 = none.")
      .at_least(0);
  table.field("width", o.width, "Number of decimal places.").in(0, 30).short_flag("w");
  table
      .field("no-color",
             o.no_color,
             "Do not use colors on a terminal (also set by the environment variable NO_COLOR).")
      .short_flag("nc");
}

bool are_edges(const std::vector<int64_t>& edges) {
  const bool rising =
      std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end();
  return rising && (edges.empty() || edges.front() >= 1);
}

}  // namespace

void CompareOptions::describe(OptionTable& table) {
  describe_input(table, *this);
  MetricOptions::describe(table);
  describe_buckets(table, *this);
  describe_frequencies(table, *this);
  describe_significance(table, *this);
  describe_report(table, *this);
}

std::vector<std::string> CompareOptions::problems() const {
  auto found = MetricOptions::problems();
  if (systems.size() == 1)
    found.emplace_back("a comparison needs at least two systems");
  for (const auto& [name, edges] :
       {std::pair("bucket-edges", &bucket_edges), {"frequency-edges", &frequency_edges}}) {
    if (!are_edges(*edges))
      found.push_back(fmt::format("--{}: expected positive integers in increasing order", name));
  }
  const CompareOptions defaults;
  if (train_text.empty() && frequency_edges != defaults.frequency_edges)
    found.emplace_back("--frequency-edges needs --train-text FILE");
  if (train_text.empty() && plot_by == PlotTable::kFrequency)
    found.emplace_back("--plot-by frequency needs --train-text FILE");
  if (format != CompareFormat::kHtml && sentences != defaults.sentences)
    found.emplace_back("--sentences needs --format html");
  if (plot.empty() && plot_kind != defaults.plot_kind)
    found.emplace_back("--plot-kind needs --plot FILE");
  if (plot.empty() && plot_by != defaults.plot_by)
    found.emplace_back("--plot-by needs --plot FILE");
  if (const auto problem = phraseq::plot::plot_file_problem(plot))
    found.push_back(*problem);
  return found;
}

std::vector<std::string> CompareOptions::peek_metrics(
    OptionTable& table, std::span<const std::string> arguments) const {
  auto named = MetricOptions::peek_metrics(table, arguments);
  const auto for_buckets = peek_list(table, arguments, "bucket-metric");
  named.push_back(for_buckets.empty() ? bucket_metric : for_buckets.back());
  if (!peek_list(table, arguments, "train-text").empty())
    named.emplace_back("bleu");  // its options define what a word is
  return named;
}

}  // namespace phraseq::score
