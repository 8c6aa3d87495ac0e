#include "core/plot/curves/plot_options.h"

#include <iostream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/io/atomic_file.h"
#include "core/plot/curves/learning_curves_page.h"
#include "core/plot/curves/metric_selection.h"

namespace phraseq::plot {
namespace {

/// The labels of the runs: the names of their folders, or their paths as given if two names are
/// equal.
std::vector<std::string> labels_of(const PlotOptions& options) {
  if (!options.labels.empty())
    return options.labels;
  std::map<std::string, int> counts;
  for (const auto& run : options.runs) ++counts[run_label(run)];
  std::vector<std::string> labels;
  for (const auto& run : options.runs) {
    const std::string label = run_label(run);
    labels.push_back(counts[label] > 1 ? run : label);
  }
  return labels;
}

std::vector<LabeledRun> read_runs(const PlotOptions& options) {
  const auto labels = labels_of(options);
  std::vector<LabeledRun> runs;
  for (size_t i = 0; i < options.runs.size(); ++i) {
    runs.push_back({labels[i], read_run_metrics(options.runs[i])});
    if (const auto text = bad_lines_text(runs.back().metrics); !text.empty())
      log_warning(text);
  }
  return runs;
}

}  // namespace

void PlotOptions::describe(OptionTable& table) {
  table.section("Input");
  table
      .field("runs",
             runs,
             "Training runs: the --save-dir of each, or its metrics.jsonl. Several runs share one "
             "picture.")
      .positional()
      .required()
      .value_name("RUN...");
  table
      .field(
          "labels", labels, "Names of the runs in the legend; default: the names of the folders.")
      .value_name("NAME...");
  table.section("Curves");
  table
      .field("metrics",
             curves.metrics,
             "Metrics, one panel each: keys of metrics.jsonl, or score for the metric of "
             "--eval-bleu. Losses are shown in base 2, as in the log.")
      .short_flag("m")
      .value_name("NAME...");
  table.field("x", curves.x, kCurveAxisNames, "The horizontal axis.");
  table
      .field("smoothing",
             curves.smoothing,
             "Weight of the past in the exponential moving average of training curves, as in "
             "TensorBoard; 0 = no smoothing.")
      .in(0, 0.999);
  table.field("title", curves.title, "Title of the picture.").value_name("TEXT");
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

void plot_runs(const PlotOptions& options) {
  const auto runs = read_runs(options);
  const bool is_page = options.output.ends_with(".html");
  const std::string result = is_page
                                 ? learning_curves_page(runs, options.curves)
                                 : panel_chart(learning_curves(runs, options.curves)).document();
  if (options.output == "-") {
    std::cout << result;
    return;
  }
  write_file(options.output, result);
  log_info(fmt::format("wrote {}", options.output));
}

}  // namespace phraseq::plot
