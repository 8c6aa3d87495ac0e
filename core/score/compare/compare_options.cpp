#include "core/score/compare/compare_options.h"

#include <algorithm>
#include <functional>

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
  table.field("plot", o.plot, "Also plot the scores by length, as SVG.")
      .value_name("FILE.svg")
      .writes_file();
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

}  // namespace

void CompareOptions::describe(OptionTable& table) {
  describe_input(table, *this);
  MetricOptions::describe(table);
  describe_buckets(table, *this);
  describe_significance(table, *this);
  describe_report(table, *this);
}

std::vector<std::string> CompareOptions::problems() const {
  auto found = MetricOptions::problems();
  if (systems.size() == 1)
    found.emplace_back("a comparison needs at least two systems");
  const bool rising =
      std::adjacent_find(bucket_edges.begin(), bucket_edges.end(), std::greater_equal<>()) ==
      bucket_edges.end();
  if (!rising || (!bucket_edges.empty() && bucket_edges.front() < 1))
    found.emplace_back("--bucket-edges: expected positive integers in increasing order");
  const CompareOptions defaults;
  if (format != CompareFormat::kHtml && sentences != defaults.sentences)
    found.emplace_back("--sentences needs --format html");
  if (plot.empty() && plot_kind != defaults.plot_kind)
    found.emplace_back("--plot-kind needs --plot FILE");
  if (const auto problem = phraseq::plot::plot_file_problem(plot))
    found.push_back(*problem);
  return found;
}

std::vector<std::string> CompareOptions::peek_metrics(
    OptionTable& table, std::span<const std::string> arguments) const {
  auto named = MetricOptions::peek_metrics(table, arguments);
  const auto for_buckets = peek_list(table, arguments, "bucket-metric");
  named.push_back(for_buckets.empty() ? bucket_metric : for_buckets.back());
  return named;
}

}  // namespace phraseq::score
