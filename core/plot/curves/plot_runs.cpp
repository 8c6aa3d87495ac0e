#include "core/plot/curves/plot_runs.h"

#include <map>

#include "core/base/log.h"
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

std::string plot_runs(const PlotOptions& options) {
  const auto runs = read_runs(options);
  const bool is_page = options.output.ends_with(".html");
  return is_page ? learning_curves_page(runs, options.curves)
                 : panel_chart(learning_curves(runs, options.curves)).document();
}

}  // namespace phraseq::plot
