#include "core/plot/curves/plot_options.h"

#include <iterator>

#include <fmt/format.h>

#include "core/base/wording/counted.h"

namespace phraseq::plot {
namespace {

void describe_input(OptionTable& table, PlotOptions& o) {
  table.section("Input");
  table
      .field("runs",
             o.runs,
             "Training runs: the --save-dir of each, or its metrics.jsonl. Several runs share one "
             "picture.")
      .positional()
      .required()
      .value_name("RUN...");
  table
      .field(
          "labels", o.labels, "Names of the runs in the legend; default: the names of the folders.")
      .value_name("NAME...");
}

void describe_curves(OptionTable& table, CurveSettings& o) {
  table.section("Curves");
  table
      .field("metrics",
             o.metrics,
             "Metrics, one panel each: keys of metrics.jsonl, or score for the metric of "
             "--eval-bleu. Losses are shown in base 2, as in the log.")
      .short_flag("m")
      .value_name("NAME...");
  table.field("x", o.x, kCurveAxisNames, "The horizontal axis.");
  table
      .field("smoothing",
             o.smoothing,
             "Weight of the past in the exponential moving average of training curves, as in "
             "TensorBoard; 0 = no smoothing.")
      .in(0, 0.999);
  table.field("title", o.title, "Title of the picture.").value_name("TEXT");
}

}  // namespace

void PlotOptions::describe(OptionTable& table) {
  describe_input(table, *this);
  describe_curves(table, curves);
  table.section("Output");
  table
      .field("output",
             output,
             "FILE.svg: the picture. FILE.html: a page with the picture and a table of the runs. "
             "- = the picture on standard output.")
      .short_flag("o")
      .value_name("FILE")
      .writes_file();
}

std::vector<std::string> PlotOptions::problems() const {
  std::vector<std::string> found;
  if (!labels.empty() && labels.size() != runs.size()) {
    found.push_back(fmt::format("--labels: {} for {}; give one for each run",
                                counted(std::ssize(labels), "name"),
                                counted(std::ssize(runs), "run")));
  }
  if (output != "-" && !output.ends_with(".svg") && !output.ends_with(".html")) {
    found.push_back(fmt::format(
        "--output {}: expected FILE.svg or FILE.html; the suffix selects the format", output));
  }
  if (curves.metrics.empty())
    found.emplace_back("--metrics is empty");
  return found;
}

}  // namespace phraseq::plot
