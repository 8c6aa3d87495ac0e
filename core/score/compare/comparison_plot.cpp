#include "core/score/compare/comparison_plot.h"

#include <fmt/format.h>

#include "core/plot/bar_chart.h"
#include "core/plot/chart.h"
#include "core/plot/line_chart.h"
#include "core/score/compare/comparison_rows.h"

namespace phraseq::score {
namespace {

plot::ChartValue chart_value(const ComparedScore& score, int width) {
  return {score.score,
          score.interval.mean - score.interval.half_width,
          score.interval.mean + score.interval.half_width,
          fmt::format("{:.{}f}{}", score.score, width, is_significant(score) ? "*" : "")};
}

}  // namespace

plot::Svg comparison_plot(const Comparison& comparison, int width, bool lines) {
  plot::Chart chart;
  chart.title = fmt::format("{} by {}", comparison.bucket_metric, comparison.length_title);
  chart.category_title = comparison.length_title;
  chart.value_title = comparison.bucket_metric;
  for (const auto& name : comparison.systems) chart.series.push_back({name, {}});
  for (const auto& bucket : comparison.buckets) {
    chart.categories.push_back({range_of(bucket), fmt::format("{} sentences", bucket.sentences)});
    for (size_t system = 0; system < chart.series.size(); ++system) {
      auto& values = chart.series[system].values;
      if (bucket.systems.empty())
        values.emplace_back();
      else
        values.emplace_back(chart_value(bucket.systems[system], width));
    }
  }
  return lines ? line_chart(chart) : bar_chart(chart);
}

}  // namespace phraseq::score
