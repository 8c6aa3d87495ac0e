#include "core/plot/bar_chart.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/plot/chart_frame.h"
#include "core/plot/colors.h"

namespace phraseq::plot {
namespace {

constexpr double kBarWidth = 30;
constexpr double kBarGap = 4;
constexpr double kGroupGap = 26;
constexpr double kValueLabelSize = 10.5;

double bar_width(const Chart& chart) {
  double width = kBarWidth;
  for (const auto& series : chart.series) {
    for (const auto& value : series.values) {
      if (value)
        width = std::max(width, text_width(value->label, kValueLabelSize));
    }
  }
  return width;
}

/// The position and the style of a bar.
struct Bar {
  double left = 0;  ///< like `width`, in units of the drawing
  double width = 0;
  std::string color;
  std::string tip;  ///< shown when the mouse is over it
};

void draw_bar(Svg& svg, const ChartFrame& frame, const ChartValue& value, const Bar& bar) {
  const double middle = bar.left + bar.width / 2;
  const double base = frame.y(0), end = frame.y(value.value);
  svg.rectangle({bar.left, std::min(base, end)},
                bar.width,
                std::max(base, end) - std::min(base, end),
                {.fill = bar.color},
                bar.tip);
  double top = std::min(base, end);
  if (value.low && value.high) {
    draw_interval(svg, middle, frame.y(*value.low), frame.y(*value.high), "#444444");
    top = std::min(top, frame.y(*value.high));
  }
  svg.text({middle, top - 4}, value.label, {.size = kValueLabelSize, .anchor = Anchor::kMiddle});
}

}  // namespace

Svg bar_chart(const Chart& chart) {
  const Scale scale = value_scale(chart, /*zero=*/true);
  const double width = bar_width(chart), step = width + kBarGap;
  const double group = step * static_cast<double>(chart.series.size()) - kBarGap;
  const ChartFrame frame(chart, scale, group + kGroupGap);
  Svg svg = frame.draw();
  for (size_t series = 0; series < chart.series.size(); ++series) {
    const auto& values = chart.series[series].values;
    for (size_t category = 0; category < values.size(); ++category) {
      if (!values[category])
        continue;
      const double left = frame.x(category) - group / 2 + step * static_cast<double>(series);
      const std::string tip = fmt::format("{}, {}: {}",
                                          chart.series[series].name,
                                          chart.categories[category].name,
                                          values[category]->label);
      draw_bar(svg, frame, *values[category], {left, width, series_color(series), tip});
    }
  }
  return svg;
}

}  // namespace phraseq::plot
