#include "core/score/compare/comparison_plot.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/plot/bar_chart.h"
#include "core/plot/chart.h"
#include "core/plot/line_chart.h"
#include "core/score/compare/comparison_rows.h"

namespace phraseq::score {
namespace {

/// The interval of a score that is not negative is cut off at 0.
plot::ChartValue chart_value(const ComparedScore& score, int width) {
  const double low = score.interval.mean - score.interval.half_width;
  return {score.score,
          score.score >= 0 ? std::max(0.0, low) : low,
          score.interval.mean + score.interval.half_width,
          fmt::format("{:.{}f}{}", score.score, width, is_significant(score) ? "*" : "")};
}

}  // namespace

plot::Svg comparison_plot(const Comparison& comparison,
                          const BucketTable& table,
                          int width,
                          bool lines) {
  plot::Chart chart;
  chart.title = title_of(table);
  chart.category_title = table.by;
  chart.value_title = table.metric;
  for (const auto& name : comparison.systems) chart.series.push_back({name, {}});
  for (const auto& bucket : table.rows) {
    chart.categories.push_back({range_of(bucket), fmt::format("{} {}", bucket.size, table.unit)});
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
