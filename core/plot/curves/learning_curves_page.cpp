#include "core/plot/curves/learning_curves_page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/plot/curves/metric_title.h"
#include "core/plot/scale.h"

namespace phraseq::plot {
namespace {

constexpr std::string_view kCurvesHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>phraseq plot</title>
<style>
:root { color-scheme: light dark; --text: #222; --page: #fff; --rule: #ddd; --heading-rule: #888; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --page: #161616; --rule: #3a3a3a; --heading-rule: #777; }
}
body {
  font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
  color: var(--text); background: var(--page);
}
table { border-collapse: collapse; margin: 1.5rem 0; }
th, td { border-bottom: 1px solid var(--rule); padding: .4rem .8rem; text-align: right; }
th { border-bottom: 2px solid var(--heading-rule); }
td { font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
)html";

/// The last point of all that a run measured.
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
  std::string html(kCurvesHead);
  html += panel_chart(learning_curves(runs, settings)).element();
  html +=
      "<div class=\"wide\"><table>\n<tr><th>Run</th><th>Updates</th><th>Epochs</th><th>Hours</th>"
      "<th>Lowest validation loss (bits), at update</th><th>Last score</th></tr>\n";
  for (const auto& run : runs) html += row(run);
  return html + "</table></div>\n</body>\n</html>\n";
}

}  // namespace phraseq::plot
