#include "core/plot/panel_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace phraseq::plot {
namespace {

constexpr double kFrameMargin = 24;
constexpr double kFrameTitleSize = 16;
constexpr double kPanelTitleSize = 13;
constexpr double kTickSize = 11;
constexpr double kNotePrint = 11;
constexpr double kNoteStep = 16;
constexpr double kLegendStep = 20;
constexpr double kPanelTop = 26;     ///< above the plot: the panel's title
constexpr double kPanelBottom = 24;  ///< below the plot: ticks
constexpr double kColumnGap = 34;
constexpr double kXTitle = 20;

struct Range {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  bool is_empty() const { return lowest > highest; }
};

/// The range that the vertical axis must cover.
Range values_of(const Panel& panel) {
  Range range;
  for (const auto& curve : panel.curves) {
    for (const auto& point : curve.points) {
      if (std::isfinite(point.y))
        range.add(point.y);
    }
  }
  if (range.is_empty())
    range.add(0);
  if (panel.from_zero)
    range.add(0);
  if (range.lowest == range.highest) {  // all values are equal
    const double half = range.lowest == 0 ? 1 : std::abs(range.lowest) / 10;
    range = {range.lowest - (panel.from_zero ? 0 : half), range.highest + half};
  }
  return range;
}

/// The power of ten that the axis is divided by: 0 for numbers from a hundredth to ten million,
/// which are written out.
int exponent_of(const Range& range) {
  const double size = std::max(std::abs(range.lowest), std::abs(range.highest));
  if (size == 0 || (size >= 0.01 && size < 1e7))
    return 0;
  return std::clamp(static_cast<int>(std::floor(std::log10(size))), -300, 300);
}

std::string superscript(int number) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(number)) text += digit == '-' ? "⁻" : kDigits[digit - '0'];
  return text;
}

Scale scale_of(const Range& range, int exponent) {
  const double unit = std::pow(10.0, exponent);
  return {range.lowest / unit, range.highest / unit, 5};
}

}  // namespace

PanelScale::PanelScale(const Panel& panel)
    : exponent(exponent_of(values_of(panel))), scale(scale_of(values_of(panel), exponent)) {}

PanelGrid::PanelGrid(const PanelChart& chart) : columns(chart.panels.size() < 2 ? 1 : 2) {
  plot_width = columns == 1 ? 620 : 390;
  plot_height = columns == 1 ? 300 : 180;
  for (const auto& panel : chart.panels) {
    const PanelScale axis(panel);
    for (const double tick : axis.scale.ticks())
      label_width = std::max(label_width, text_width(axis.scale.label(tick), kTickSize));
  }
  label_width += 8;
  const auto across = static_cast<double>(columns);
  width = 2 * kFrameMargin + across * (label_width + plot_width) + (across - 1) * kColumnGap;
  const double text_space = width - 2 * kFrameMargin;
  title_lines = wrap_text(chart.title, kFrameTitleSize * 1.15, text_space);
  find_range(chart);
  place_legend(chart);
  const auto rows = static_cast<double>((chart.panels.size() + columns - 1) / columns);
  first_note = first_panel + rows * (kPanelTop + plot_height + kPanelBottom) +
               (chart.panels.empty() ? 0 : kXTitle);
  for (const auto& note : chart.notes) {
    for (auto& line : wrap_text(note, kNotePrint, text_space))
      note_lines.push_back(std::move(line));
  }
  height = first_note + kNoteStep * static_cast<double>(note_lines.size()) + kFrameMargin / 2;
}

/// Finds the range of the horizontal axis, which begins at 0 if the first point is near it.
void PanelGrid::find_range(const PanelChart& chart) {
  Range range;
  for (const auto& panel : chart.panels) {
    for (const auto& curve : panel.curves) {
      for (const auto& point : curve.points) range.add(point.x);
    }
  }
  if (range.is_empty())
    return;
  if (range.lowest >= 0 && range.lowest <= range.highest / 2)
    range.lowest = 0;
  lowest_x = range.lowest;
  highest_x = range.highest > range.lowest
                  ? range.highest
                  : range.lowest + std::max(1.0, std::abs(range.lowest) * 1e-3);
}

void PanelGrid::place_legend(const PanelChart& chart) {
  Point place{kFrameMargin,
              kFrameMargin + (kFrameTitleSize + 6) * static_cast<double>(title_lines.size()) + 12};
  const double end = width - kFrameMargin;
  for (const auto& entry : chart.legend) {
    const double most = end - kFrameMargin - kLegendSample - 6;
    legend_names.push_back(shorten(entry.name, kPanelTextSize, most));
    const double needed = kLegendSample + 6 + text_width(legend_names.back(), kPanelTextSize);
    if (place.x > kFrameMargin && place.x + needed > end) {
      place.x = kFrameMargin;
      place.y += kLegendStep;
    }
    legend_places.push_back(place);
    place.x += needed + 22;
  }
  first_panel = place.y + (chart.legend.empty() ? 0 : 12);
}

Svg PanelGrid::draw(const PanelChart& chart) const {
  Svg svg(width, height, chart.title);
  double y = kFrameMargin + kFrameTitleSize - 4;
  for (const auto& line : title_lines) {
    svg.text({kFrameMargin, y}, line, {.size = kFrameTitleSize, .color = "#222222", .bold = true});
    y += kFrameTitleSize + 6;
  }
  y = first_note + 4;
  for (const auto& line : note_lines) {
    svg.text({kFrameMargin, y}, line, {.size = kNotePrint, .color = "#777777"});
    y += kNoteStep;
  }
  return svg;
}

PanelFrame::PanelFrame(const PanelChart& chart,
                       const Panel& panel,
                       const PanelGrid& grid,
                       size_t number)
    : chart_(chart), panel_(panel), grid_(grid), axis_(panel) {
  const auto column = static_cast<double>(number % grid.columns);
  const auto row = static_cast<double>(number / grid.columns);
  left_ =
      kFrameMargin + grid.label_width + column * (grid.plot_width + kColumnGap + grid.label_width);
  top_ = grid.first_panel + row * (kPanelTop + grid.plot_height + kPanelBottom) + kPanelTop;
  is_lowest_ = number + grid.columns >= chart.panels.size();
}

Point PanelFrame::place(const CurvePoint& point) const {
  const double across = (point.x - grid_.lowest_x) / (grid_.highest_x - grid_.lowest_x);
  const double up = axis_.scale.share(point.y / std::pow(10.0, axis_.exponent));
  return {left_ + grid_.plot_width * across,
          top_ + grid_.plot_height * (1 - std::clamp(up, 0.0, 1.0))};
}

void PanelFrame::draw_values_axis(Svg& svg) const {
  for (const double tick : axis_.scale.ticks()) {
    const double y = top_ + grid_.plot_height * (1 - axis_.scale.share(tick));
    svg.line({left_, y}, {left_ + grid_.plot_width, y}, {.stroke = "#e4e4e4"});
    svg.text({left_ - 8, y + 4},
             axis_.scale.label(tick),
             {.size = kTickSize, .anchor = Anchor::kEnd, .color = "#777777"});
  }
}

void PanelFrame::draw_x_axis(Svg& svg) const {
  const double bottom = top_ + grid_.plot_height;
  svg.line({left_, bottom}, {left_ + grid_.plot_width, bottom}, {.stroke = "#999999"});
  const Scale scale(grid_.lowest_x, grid_.highest_x, 6);
  const double slack = (grid_.highest_x - grid_.lowest_x) * 1e-9;
  for (const double tick : scale.ticks()) {
    if (tick < grid_.lowest_x - slack || tick > grid_.highest_x + slack ||
        (chart_.whole_x && tick != std::round(tick)))
      continue;
    const double x =
        left_ + grid_.plot_width * (tick - grid_.lowest_x) / (grid_.highest_x - grid_.lowest_x);
    svg.line({x, bottom}, {x, bottom + 4}, {.stroke = "#999999"});
    svg.text({x, bottom + 16},
             chart_.whole_x ? Scale(0, tick, 1).label(tick) : scale.label(tick),
             {.size = kTickSize, .anchor = Anchor::kMiddle, .color = "#777777"});
  }
  if (is_lowest_) {
    svg.text({left_ + grid_.plot_width / 2, bottom + kPanelBottom + 10},
             chart_.x_title,
             {.size = kPanelTextSize, .anchor = Anchor::kMiddle});
  }
}

void PanelFrame::draw(Svg& svg) const {
  std::string title = panel_.title;
  if (axis_.exponent != 0)
    title += fmt::format(" (×10{})", superscript(axis_.exponent));
  svg.text({left_ - 8, top_ - 9},
           shorten(title, kPanelTitleSize, grid_.plot_width),
           {.size = kPanelTitleSize, .bold = true});
  draw_values_axis(svg);
  draw_x_axis(svg);
}

}  // namespace phraseq::plot
