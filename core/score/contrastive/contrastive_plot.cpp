#include "core/score/contrastive/contrastive_plot.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/plot/bar_chart.h"
#include "core/plot/chart.h"
#include "core/plot/line_chart.h"

namespace phraseq::score {
namespace {

/// The table to draw: the one by distance, otherwise the first one by group, otherwise one row with
/// all pairs.
AccuracyTable chosen_table(const ContrastiveReport& report) {
  for (const auto& table : report.tables) {
    if (table.by_distance)
      return table;
  }
  if (!report.tables.empty())
    return report.tables.front();
  return {"", false, {report.all}};
}

/// Without the empty rows before the first and after the last one with pairs.
std::vector<AccuracyRow> trimmed(const std::vector<AccuracyRow>& rows) {
  const auto filled = [](const AccuracyRow& row) { return row.pairs > 0; };
  const auto begin = std::find_if(rows.begin(), rows.end(), filled);
  const auto end = std::find_if(rows.rbegin(), rows.rend(), filled).base();
  return begin < end ? std::vector<AccuracyRow>(begin, end) : std::vector<AccuracyRow>();
}

plot::ChartValue chart_value(const Accuracy& accuracy) {
  return {
      accuracy.value(), accuracy.low(), accuracy.high(), fmt::format("{:.3f}", accuracy.value())};
}

}  // namespace

plot::Svg contrastive_plot(const ContrastiveReport& report) {
  const AccuracyTable table = chosen_table(report);
  plot::Chart chart;
  chart.title = table.by.empty() ? "Accuracy" : fmt::format("Accuracy by {}", table.by);
  chart.category_title = table.by.empty() ? "" : fmt::format("{} (pairs)", table.by);
  chart.value_title = "accuracy";
  chart.highest = 1;
  for (const auto& name : report.systems) chart.series.push_back({name, {}});
  for (const auto& row : trimmed(table.rows)) {
    chart.categories.push_back({row.name, fmt::format("({})", row.pairs)});
    for (size_t system = 0; system < chart.series.size(); ++system) {
      auto& values = chart.series[system].values;
      if (row.systems.empty())
        values.emplace_back();
      else
        values.emplace_back(chart_value(row.systems[system]));
    }
  }
  return table.by_distance ? line_chart(chart) : bar_chart(chart);
}

}  // namespace phraseq::score
