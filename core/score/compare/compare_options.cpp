#include "core/score/compare/compare_options.h"

#include <algorithm>
#include <functional>

#include "core/options/command_line.h"

namespace phraseq::score {

void CompareOptions::describe(OptionTable& table) {
  table.section("Input");
  table.field("systems", systems, "Output of the systems; the others are compared to the first.")
      .positional()
      .required()
      .value_name("FILE");
  table.field("ref", references, "References, each a file.").required().value_name("FILE...");
  table
      .field("src",
             source,
             "The source text, for buckets by its length; the first reference's without.")
      .alias("source")
      .value_name("FILE");
  MetricOptions::describe(table);
  table.section("Buckets");
  table
      .field("bucket-edges",
             bucket_edges,
             "15,30 makes the buckets of fewer than 15, of 15 to 29, and of 30 and more.")
      .alias("length-edges")
      .alias("analysis-length-edges");
  table
      .field("bucket-unit",
             bucket_unit,
             "What lengths count: words between white space, or characters.")
      .one_of({"words", "characters"});
  table.field("bucket-metric", bucket_metric, "The metric of the buckets, by name.");
  table.section("Significance");
  table.field("samples", samples, "Bootstrap resamples.").at_least(1);
  table.field("seed", seed, "A whole number, or none for a random one.");
  table.field("threads", threads, "0 = as many as there are processors. No result depends on it.")
      .in(0, 4096);
  table.section("Report");
  table.field("format", format, "Text for a terminal, JSON, or one HTML page.")
      .one_of({"text", "json", "html"})
      .short_flag("f");
  table.field("output", output, "Write to a file instead of standard output.")
      .short_flag("o")
      .value_name("FILE");
  table.field("plot", plot, "Also draw the scores by length, as SVG.").value_name("FILE");
  table.field("plot-kind", plot_kind, "Bars from zero, or lines.").one_of({"bars", "lines"});
  table.field("width", width, "Digits behind the point.").in(0, 30).short_flag("w");
  table.field("no-color", no_color, "No colors on a terminal (so does NO_COLOR).").short_flag("nc");
}

std::vector<std::string> CompareOptions::problems() const {
  auto found = MetricOptions::problems();
  if (systems.size() == 1)
    found.emplace_back("a comparison needs two systems or more");
  const bool rising =
      std::adjacent_find(bucket_edges.begin(), bucket_edges.end(), std::greater_equal<>()) ==
      bucket_edges.end();
  if (!rising || (!bucket_edges.empty() && bucket_edges.front() < 1))
    found.emplace_back("--bucket-edges: whole numbers from 1, each larger than the one before");
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
