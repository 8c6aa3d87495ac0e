#include "core/plot/panel_chart.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/plot/colors.h"
#include "core/plot/panel_frame.h"

namespace phraseq::plot {
namespace {

constexpr size_t kMarkSpacing = 8;  ///< pixels; closer marks would hide the lines
constexpr double kMarkRadius = 2.6;
constexpr const char* kDashes[] = {"", "7 3", "2 3", "9 3 2 3"};

std::string color_of(const CurveStyle& style) {
  return style.gray ? "#777777" : series_color(style.color);
}

Paint paint_of(const CurveStyle& style) {
  const size_t cycle = style.gray ? 0 : style.color / 8;
  return {.stroke = color_of(style),
          .stroke_width = style.width,
          .opacity = style.opacity,
          .dash = kDashes[cycle % std::size(kDashes)]};
}

/// The unbroken pieces of a curve.
std::vector<std::vector<CurvePoint>> unbroken(const std::vector<CurvePoint>& points) {
  std::vector<std::vector<CurvePoint>> found(1);
  for (const CurvePoint& point : points) {
    if (std::isfinite(point.y))
      found.back().push_back(point);
    else if (!found.back().empty())
      found.emplace_back();
  }
  return found;
}

void draw_mark(Svg& svg, const PanelFrame& frame, const Curve& curve, const CurvePoint& point) {
  svg.circle(frame.place(point),
             kMarkRadius,
             {.fill = color_of(curve.style), .stroke = "#ffffff", .stroke_width = 0.7},
             fmt::format("{}, {:.6g}: {:.6g}", curve.name, point.x, point.y));
}

/// Draws the lines, then the marks on top of them. A point without neighbors is drawn as a mark
/// only.
void draw_curve(Svg& svg, const PanelFrame& frame, const Curve& curve) {
  const auto points =
      thin_out(curve.points, frame.lowest_x(), frame.highest_x(), frame.pixel_columns());
  const auto pieces = unbroken(points);
  for (const auto& piece : pieces) {
    std::vector<Point> line;
    for (const CurvePoint& point : piece) line.push_back(frame.place(point));
    if (line.size() > 1)
      svg.polyline(line, paint_of(curve.style));
  }
  const bool all = curve.style.marks && points.size() * kMarkSpacing <= frame.pixel_columns();
  for (const auto& piece : pieces) {
    for (const CurvePoint& point : piece) {
      if (all || piece.size() == 1)
        draw_mark(svg, frame, curve, point);
    }
  }
}

void draw_legend(Svg& svg, const PanelChart& chart, const PanelGrid& grid) {
  for (size_t i = 0; i < chart.legend.size(); ++i) {
    const CurveStyle& style = chart.legend[i].style;
    const auto [x, y] = grid.legend_places[i];
    svg.line({x, y - 4}, {x + kLegendSample, y - 4}, paint_of(style));
    if (style.marks)
      svg.circle({x + kLegendSample / 2, y - 4}, kMarkRadius, {.fill = color_of(style)});
    svg.text({x + kLegendSample + 6, y}, grid.legend_names[i], {.size = kPanelTextSize});
  }
}

}  // namespace

Svg panel_chart(const PanelChart& chart) {
  const PanelGrid grid(chart);
  Svg svg = grid.draw(chart);
  draw_legend(svg, chart, grid);
  for (size_t i = 0; i < chart.panels.size(); ++i) {
    const PanelFrame frame(chart, chart.panels[i], grid, i);
    frame.draw(svg);
    for (const auto& curve : chart.panels[i].curves) draw_curve(svg, frame, curve);
  }
  return svg;
}

}  // namespace phraseq::plot
