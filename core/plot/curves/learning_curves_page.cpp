#include "core/plot/curves/learning_curves_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/plot/curves/metric_title.h"
#include "core/plot/html_page.h"
#include "core/plot/scale.h"

namespace phraseq::plot {
namespace {

constexpr std::string_view kCurvesStyle = "svg { max-width: 100%; height: auto; }\n";

/// The last point among all measurements of a run.
Measurement last_of(const RunMetrics& run) {
  Measurement last;
  for (const auto* part : {&run.intervals, &run.epochs, &run.validations}) {
    for (const auto& [name, points] : *part) {
      if (!points.empty() && points.back().updates >= last.updates)
        last = points.back();
    }
  }
  return last;
}

std::string whole(double number) { return Scale(0, std::max(number, 1.0), 1).label(number); }

/// "3.21 at 4,000": the lowest loss of a validation.
std::string lowest_loss(const RunMetrics& run) {
  const auto found = run.validations.find("loss");
  Measurement best;
  best.value = std::numeric_limits<double>::infinity();
  if (found != run.validations.end()) {
    for (const auto& point : found->second) {
      if (point.value < best.value)
        best = point;
    }
  }
  if (!std::isfinite(best.value))
    return "–";
  return fmt::format("{:.3f} at {}", best.value * metric_factor("loss"), whole(best.updates));
}

/// "BLEU 21.3": the last score of each metric.
std::string last_scores(const RunMetrics& run) {
  std::string text;
  for (const auto& name : run.scores) {
    const auto found = run.validations.find(name);
    if (found != run.validations.end() && !found->second.empty())
      text +=
          fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", name, found->second.back().value);
  }
  return text.empty() ? "–" : text;
}

std::string row(const LabeledRun& run) {
  const Measurement last = last_of(run.metrics);
  return fmt::format(
      "<tr><td "
      "title=\"{}\">{}</td><td>{}</td><td>{:.1f}</td><td>{:.2f}</td><td>{}</td><td>{}</td></tr>\n",
      escape_xml(run.metrics.path),
      escape_xml(run.label),
      whole(last.updates),
      last.epochs,
      last.time.hours,
      lowest_loss(run.metrics),
      escape_xml(last_scores(run.metrics)));
}

}  // namespace

std::string learning_curves_page(const std::vector<LabeledRun>& runs,
                                 const CurveSettings& settings) {
  std::string html = html_head("phraseq plot", 64, kCurvesStyle);
  html += panel_chart(learning_curves(runs, settings)).element();
  html +=
      "<div class=\"wide\"><table>\n<tr><th>Run</th><th>Updates</th><th>Epochs</th><th>Hours</th>"
      "<th>Lowest validation loss (bits), at update</th><th>Last score</th></tr>\n";
  for (const auto& run : runs) html += row(run);
  return html + "</table></div>\n</body>\n</html>\n";
}

}  // namespace phraseq::plot
