#include "core/plot/line_chart.h"

#include <fmt/format.h>

#include "core/plot/chart_frame.h"
#include "core/plot/colors.h"

namespace phraseq::plot {
namespace {

constexpr double kCategoryWidth = 44;
constexpr double kRadius = 3.5;
/// The horizontal distance between the points of two series, so that their intervals can be
/// distinguished.
constexpr double kDodge = 5;

/// The unbroken pieces of a line.
std::vector<std::vector<Point>> pieces(const Series& series,
                                       const ChartFrame& frame,
                                       double shift) {
  std::vector<std::vector<Point>> found(1);
  for (size_t category = 0; category < series.values.size(); ++category) {
    const auto& value = series.values[category];
    if (value)
      found.back().push_back({frame.x(category) + shift, frame.y(value->value)});
    else if (!found.back().empty())
      found.emplace_back();
  }
  return found;
}

void draw_series(
    Svg& svg, const Chart& chart, const ChartFrame& frame, size_t number, double shift) {
  const Series& series = chart.series[number];
  const std::string color = series_color(number);
  for (const auto& points : pieces(series, frame, shift)) {
    if (points.size() > 1)
      svg.polyline(points, {.stroke = color, .stroke_width = 2});
  }
  for (size_t category = 0; category < series.values.size(); ++category) {
    const auto& value = series.values[category];
    if (!value)
      continue;
    const Point point{frame.x(category) + shift, frame.y(value->value)};
    if (value->low && value->high)
      draw_interval(svg, point.x, frame.y(*value->low), frame.y(*value->high), color);
    svg.circle(
        point,
        kRadius,
        {.fill = color, .stroke = "#ffffff"},
        fmt::format("{}, {}: {}", series.name, chart.categories[category].name, value->label));
  }
}

}  // namespace

Svg line_chart(const Chart& chart) {
  const Scale scale = value_scale(chart, /*zero=*/false);
  const ChartFrame frame(chart, scale, kCategoryWidth);
  Svg svg = frame.draw();
  const double middle = (static_cast<double>(chart.series.size()) - 1) / 2;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    draw_series(svg, chart, frame, i, kDodge * (static_cast<double>(i) - middle));
  }
  return svg;
}

}  // namespace phraseq::plot
